//! Random formulas and truth tables: the naive oracle of every test.

use braid_cond::{Choice, Cond, Formula, Manager, Opt};

/// A small deterministic generator of numbers.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A random formula of every kind of connective over `options` options.
pub(crate) fn formula(rng: &mut Rng, options: usize, depth: usize) -> Formula {
    if depth == 0 || rng.chance(10) {
        return match rng.below(20) {
            0 => Formula::True,
            1 => Formula::False,
            _ => Formula::Opt(Opt::new(rng.below(options))),
        };
    }
    let part = |rng: &mut Rng| formula(rng, options, depth - 1);
    match rng.below(9) {
        0 => !part(rng),
        1 => part(rng) & part(rng),
        2 => part(rng) | part(rng),
        3 => part(rng) ^ part(rng),
        4 => part(rng).implies(part(rng)),
        5 => part(rng).iff(part(rng)),
        6 => part(rng).ite(part(rng), part(rng)),
        7 => {
            let of: Vec<Formula> = (0..rng.below(4)).map(|_| part(rng)).collect();
            let min = rng.below(3);
            Formula::Count {
                min,
                max: min + rng.below(3),
                of,
            }
        }
        _ => {
            let of = (0..rng.below(4)).map(|_| part(rng)).collect();
            if rng.chance(50) {
                Formula::And(of)
            } else {
                Formula::Or(of)
            }
        }
    }
}

/// A manager with `options` options `o0`, `o1`, … whose order is theirs or shuffled.
pub(crate) fn manager(rng: &mut Rng, options: usize) -> Manager {
    let mut m = Manager::with_options((0..options).map(|i| format!("o{i}")));
    if rng.chance(50) {
        let mut order = m.order().to_vec();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        m.set_order(&order).unwrap();
    }
    if rng.chance(30) {
        m.set_recursion_limit(rng.below(3) as u32);
    }
    m
}

/// All configurations of `options` options as bits.
pub(crate) fn configurations(options: usize) -> impl Iterator<Item = usize> {
    0..1 << options
}

/// Is the option on in the configuration?
pub(crate) fn is_on(configuration: usize) -> impl FnMut(Opt) -> bool {
    move |opt| configuration >> opt.index() & 1 == 1
}

/// The value of a formula in every configuration.
pub(crate) fn truth(formula: &Formula, options: usize) -> Vec<bool> {
    configurations(options)
        .map(|c| formula.eval(&mut is_on(c)))
        .collect()
}

/// The value of a condition in every configuration.
pub(crate) fn truth_of(m: &Manager, cond: Cond) -> Vec<bool> {
    configurations(m.option_count())
        .map(|c| m.eval(cond, is_on(c)))
        .collect()
}

/// The payload of a choice in every configuration.
pub(crate) fn payloads_of(m: &Manager, choice: Choice) -> Vec<u64> {
    configurations(m.option_count())
        .map(|c| m.payload_at(choice, is_on(c)))
        .collect()
}

/// A random condition with its truth table.
pub(crate) fn cond(rng: &mut Rng, m: &mut Manager, depth: usize) -> (Cond, Vec<bool>) {
    let formula = formula(rng, m.option_count(), depth);
    (
        m.compile(&formula).unwrap(),
        truth(&formula, m.option_count()),
    )
}

/// A random choice with its payload in every configuration.
pub(crate) fn choice(rng: &mut Rng, m: &mut Manager) -> (Choice, Vec<u64>) {
    let kinds = [0, 1, 2, 3, u64::MAX, 1 << 40, 0x7ff4_0000_0000_0001];
    let mut choice = m.constant(kinds[rng.below(kinds.len())]).unwrap();
    let mut payloads = vec![m.value(choice).unwrap(); 1 << m.option_count()];
    for _ in 0..rng.below(4) {
        let (when, table) = cond(rng, m, 3);
        let payload = kinds[rng.below(kinds.len())];
        let other = m.constant(payload).unwrap();
        choice = m.select(when, other, choice).unwrap();
        for (old, _) in payloads.iter_mut().zip(&table).filter(|(_, when)| **when) {
            *old = payload;
        }
    }
    assert_eq!(payloads_of(m, choice), payloads);
    (choice, payloads)
}
