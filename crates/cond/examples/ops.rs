//! Prints nanoseconds an operation: `cargo run --release -p braid-cond --example ops`.

use braid_cond::{Choice, Cond, Manager, Op, OutOfNodes};
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const ADD: Op = Op::commutative(1);
const OPTIONS: usize = 64;

fn keep<T>(value: T) {
    black_box(value);
}

/// Nanoseconds a call, the best of several rounds.
fn time(name: &str, calls: usize, mut round: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed().as_nanos() as f64 / calls as f64);
    }
    println!("{name:<44} {best:>9.1} ns");
}

fn random_conds(m: &mut Manager, count: usize) -> Result<Vec<Cond>, OutOfNodes> {
    let opts = m.order().to_vec();
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let mut conds = Vec::new();
    for _ in 0..count {
        let mut cond = m.on(opts[next() % opts.len()]);
        for _ in 0..5 {
            let literal = m.on(opts[next() % opts.len()]);
            cond = match next() % 3 {
                0 => m.and(cond, literal)?,
                1 => m.or(cond, literal)?,
                _ => m.xor(cond, literal)?,
            };
        }
        conds.push(cond);
    }
    Ok(conds)
}

fn cached(m: &mut Manager, conds: &[Cond]) {
    let n = conds.len() - 1;
    let pairs = |f: &mut dyn FnMut(Cond, Cond)| conds.windows(2).for_each(|w| f(w[0], w[1]));
    time("and, cached", n, || pairs(&mut |a, b| keep(m.and(a, b))));
    time("or, cached", n, || pairs(&mut |a, b| keep(m.or(a, b))));
    time("not, cached", n, || pairs(&mut |a, _| keep(m.not(a))));
    time("minus, cached", n, || {
        pairs(&mut |a, b| keep(m.minus(a, b)))
    });
    time("implies, cached", n, || {
        pairs(&mut |a, b| keep(m.implies(a, b)))
    });
    time("iff, cached", n, || pairs(&mut |a, b| keep(m.iff(a, b))));
    time("entails, cached", n, || {
        pairs(&mut |a, b| keep(m.entails(a, b)))
    });
    time("disjoint, cached", n, || {
        pairs(&mut |a, b| keep(m.disjoint(a, b)))
    });
    time("ite, cached", n, || {
        pairs(&mut |a, b| keep(m.ite(a, b, Cond::FALSE)))
    });
}

fn choices(m: &mut Manager, conds: &[Cond]) -> Result<(), OutOfNodes> {
    let mut values: Vec<Choice> = Vec::new();
    for pair in conds.windows(2) {
        values.push(m.choose(&[(pair[0], 7), (pair[1], 1 << 40)], 3)?);
    }
    let n = values.len() - 1;
    let mut all = |name: &str, f: &mut dyn FnMut(&mut Manager, usize)| {
        time(name, n, || (0..n).for_each(|i| f(m, i)));
    };
    let add = u64::wrapping_add;
    all("apply, cached", &mut |m, i| {
        keep(m.apply(ADD, values[i], values[i + 1], add))
    });
    all("restrict, cached", &mut |m, i| {
        keep(m.restrict(values[i], conds[i]))
    });
    all("select, cached", &mut |m, i| {
        keep(m.select(conds[i], values[i], values[i + 1]));
    });
    all("agree_in, cached", &mut |m, i| {
        black_box(m.agree_in(values[i], values[i + 1], conds[i]));
    });
    all("leaves, cached parts", &mut |m, i| {
        keep(m.leaves(values[i], conds[i]))
    });
    Ok(())
}

/// A counter that each option may raise by an amount of its own, as a program with independent patches would.
/// Options that come up later in the program may stand below or above the earlier ones.
fn counter(options: usize, later_above: bool) -> Result<(), OutOfNodes> {
    let mut m = Manager::with_options((0..options).map(|i| i.to_string()));
    let start = cpu_time();
    let mut sum = Choice::ZERO;
    let mut order = m.order().to_vec();
    if later_above {
        order.reverse();
    }
    for opt in order {
        for weight in [1, 3] {
            let weight = m.constant(weight)?;
            let summand = m.select(m.on(opt), weight, Choice::ZERO)?;
            sum = m.apply(ADD, sum, summand, u64::wrapping_add)?;
        }
    }
    let place = if later_above { "above" } else { "below" };
    report(
        &format!("counter over {options} options, later ones {place}"),
        &m,
        cpu_time() - start,
    );
    let start = cpu_time();
    let leaves = m.leaves(sum, Cond::TRUE)?.len();
    println!("  its {leaves} leaves: {:?}", cpu_time() - start);
    Ok(())
}

/// Time on the processor, which a busy machine does not distort as much; wall time where there is no such figure.
fn cpu_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let on_cpu = statistics
        .split(' ')
        .next()
        .and_then(|figure| figure.parse().ok());
    on_cpu.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn report(name: &str, m: &Manager, elapsed: Duration) {
    let stats = m.stats();
    let per_step = elapsed.as_nanos() as f64 / stats.steps as f64;
    println!(
        "{name}: {elapsed:?}, {} nodes, {} steps of {per_step:.0} ns, {} MB",
        stats.peak_nodes,
        stats.steps,
        stats.bytes >> 20
    );
}

/// Values that one option decides under a context that a degree bound of 2 over 200 options is part of.
fn degree_bound() -> Result<(), OutOfNodes> {
    let mut m = Manager::with_options((0..200).map(|i| i.to_string()));
    let opts = m.order().to_vec();
    let universe = m.at_most(&opts, 2)?;
    let mut values = Vec::new();
    for pair in opts.windows(2) {
        let context = m.minus(universe, m.on(pair[1]))?;
        values.push((
            context,
            m.choose(&[(m.on(pair[0]), 5), (m.on(pair[1]), 6)], 7)?,
        ));
    }
    let calls = values.len();
    let each = |name: &str, m: &mut Manager, f: &dyn Fn(&mut Manager, Cond, Choice)| {
        let start = Instant::now();
        values
            .iter()
            .for_each(|&(context, value)| f(m, context, value));
        let first = start.elapsed().as_nanos() / calls as u128;
        println!("under a degree bound, {name} for the first time {first:>10} ns");
        time(&format!("under a degree bound, {name}"), calls, || {
            values
                .iter()
                .for_each(|&(context, value)| f(m, context, value));
        });
    };
    each("value_in", &mut m, &|m, context, value| {
        keep(m.value_in(value, context))
    });
    each("restrict", &mut m, &|m, context, value| {
        keep(m.restrict(value, context))
    });
    each("leaves", &mut m, &|m, context, value| {
        keep(m.leaves(value, context))
    });
    Ok(())
}

/// The n-queens problem as one diagram: a measure of uncached work.
fn queens(n: usize) -> Result<(), OutOfNodes> {
    let start = cpu_time();
    let mut m = Manager::with_options((0..n * n).map(|i| i.to_string()));
    let opts = m.order().to_vec();
    let mut board = Cond::TRUE;
    for row in (0..n).rev() {
        let squares: Vec<Cond> = (0..n).map(|column| m.on(opts[row * n + column])).collect();
        let some = m.any(squares)?;
        board = m.and(board, some)?;
        for column in 0..n {
            let mut free = Cond::TRUE;
            for other in (0..n * n).rev() {
                let (r, c) = (other / n, other % n);
                let attacks =
                    r == row || c == column || r + c == row + column || r + column == c + row;
                if attacks && other != row * n + column {
                    let off = m.off(opts[other]);
                    free = m.and(free, off)?;
                }
            }
            let queen = m.on(opts[row * n + column]);
            let peace = m.implies(queen, free)?;
            board = m.and(board, peace)?;
        }
    }
    report(&format!("{n}-queens"), &m, cpu_time() - start);
    let start = cpu_time();
    let freed = m.collect([board]);
    println!("  collecting {freed} of them: {:?}", cpu_time() - start);
    Ok(())
}

fn main() -> Result<(), OutOfNodes> {
    let mut m = Manager::with_options((0..OPTIONS).map(|i| format!("o{i}")));
    let conds = random_conds(&mut m, 300)?;
    cached(&mut m, &conds);
    choices(&mut m, &conds)?;
    counter(100, false)?;
    counter(200, false)?;
    counter(400, true)?;
    degree_bound()?;
    queens(8)
}
