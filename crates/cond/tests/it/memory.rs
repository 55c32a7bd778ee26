//! Collection, limits, order.

use crate::common::{self, Rng, payloads_of, truth_of};
use braid_cond::{Choice, Cond, Manager, Opt, OutOfNodes};

#[test]
fn collection_keeps_what_is_below_the_roots() {
    let mut rng = Rng::new(30);
    for round in 0..200 {
        let mut m = common::manager(&mut rng, 2 + round % 8);
        let mut kept: Vec<(Choice, Vec<u64>)> = Vec::new();
        for _ in 0..5 {
            for _ in 0..20 {
                let made = common::choice(&mut rng, &mut m);
                if rng.chance(20) {
                    kept.push(made);
                }
            }
            kept.retain(|_| rng.chance(80));
            let before = m.stats().nodes;
            let freed = m.collect(kept.iter().map(|(choice, _)| *choice));
            assert_eq!(m.stats().nodes, before - freed);
            for (choice, payloads) in &kept {
                assert_eq!(&payloads_of(&m, *choice), payloads);
            }
            for pair in kept.windows(2) {
                let equal = m.equal(pair[0].0, pair[1].0).unwrap();
                let expected: Vec<bool> = pair[0]
                    .1
                    .iter()
                    .zip(&pair[1].1)
                    .map(|(a, b)| a == b)
                    .collect();
                assert_eq!(truth_of(&m, equal), expected);
            }
        }
        m.collect::<Choice>([]);
        assert_eq!(m.stats().nodes, 2 + 2 * m.option_count());
    }
}

#[test]
fn handles_stay_canonical_across_collections() {
    let mut rng = Rng::new(31);
    let mut m = common::manager(&mut rng, 8);
    for _ in 0..300 {
        let formula = common::formula(&mut rng, 8, 5);
        let cond = m.compile(&formula).unwrap();
        m.collect([cond]);
        assert_eq!(m.compile(&formula).unwrap(), cond);
    }
}

#[test]
fn marking_reports_each_payload_once() {
    let mut m = Manager::with_options(["a", "b"]);
    let [a, b] = [m.on(m.order()[0]), m.on(m.order()[1])];
    let first = m.choose(&[(a, 10), (b, 20)], 1).unwrap();
    let second = m.choose(&[(b, 20), (a, 30)], 0).unwrap();
    let mut reached = Vec::new();
    let mut marks = m.start_marking();
    m.mark(&mut marks, first, |payload| reached.push(payload));
    m.mark(&mut marks, second, |payload| reached.push(payload));
    reached.sort_unstable();
    assert_eq!(reached, [10, 20, 30]);
    m.sweep(marks);
    assert_eq!(m.choose(&[(a, 10), (b, 20)], 1).unwrap(), first);
}

#[test]
fn sweeping_after_building_frees_nothing() {
    let mut m = Manager::with_options(["a", "b"]);
    let [a, b] = [m.on(m.order()[0]), m.on(m.order()[1])];
    let marks = m.start_marking();
    let both = m.and(a, b).unwrap();
    assert_eq!(m.sweep(marks), 0);
    assert_eq!(m.and(a, b).unwrap(), both);
}

/// Options 0 and n, 1 and n + 1, … equal: exponential in this order, linear with partners side by side.
fn partners(m: &mut Manager) -> Result<Cond, OutOfNodes> {
    let opts: Vec<Opt> = m.names().options().collect();
    let half = opts.len() / 2;
    let mut cond = Cond::TRUE;
    for i in 0..half {
        let same = m.iff(m.on(opts[i]), m.on(opts[i + half]))?;
        cond = m.and(cond, same)?;
    }
    Ok(cond)
}

#[test]
fn the_node_limit_is_an_error_that_can_be_survived() {
    let mut m = Manager::with_options((0..40).map(|i| i.to_string()));
    m.set_node_limit(10_000);
    assert_eq!(partners(&mut m), Err(OutOfNodes));
    assert!(m.stats().nodes <= 10_000);
    m.collect::<Cond>([]);
    let opts = m.order().to_vec();
    let both = m.and(m.on(opts[0]), m.on(opts[1])).unwrap();
    assert_eq!(m.count(both), (1u64 << 38).into());
}

#[test]
fn another_order_keeps_meanings_and_may_need_far_fewer_nodes() {
    let mut m = Manager::with_options((0..24).map(|i| i.to_string()));
    let mut conds = [partners(&mut m).unwrap()];
    let count = m.count(conds[0]);
    let before = m.size(conds[0]);
    let opts = m.order().to_vec();
    let order: Vec<Opt> = (0..12).flat_map(|i| [opts[i], opts[i + 12]]).collect();
    m.reorder(&order, &mut conds, &mut []).unwrap();
    assert_eq!(m.order(), order);
    assert_eq!(m.count(conds[0]), count);
    assert!(m.size(conds[0]) < 50 && before > 4000);
    assert!(m.reorder(&order[1..], &mut [], &mut []).is_err());
    m.set_node_limit(1000);
    assert!(m.reorder(&opts, &mut conds, &mut []).is_err());
    assert_eq!(m.order(), order);
    assert_eq!(partners(&mut m), Ok(conds[0]));
}

#[test]
fn reordering_keeps_truth_tables() {
    let mut rng = Rng::new(32);
    for _ in 0..300 {
        let mut m = common::manager(&mut rng, 6);
        let (cond, table) = common::cond(&mut rng, &mut m, 5);
        let (choice, payloads) = common::choice(&mut rng, &mut m);
        let (mut conds, mut choices) = ([cond], [choice]);
        let mut order = m.order().to_vec();
        order.rotate_left(rng.below(6));
        order.swap(0, 3);
        m.reorder(&order, &mut conds, &mut choices).unwrap();
        assert_eq!(truth_of(&m, conds[0]), table);
        assert_eq!(payloads_of(&m, choices[0]), payloads);
    }
}

#[test]
fn options_can_be_added_anywhere_at_any_time() {
    let mut rng = Rng::new(33);
    for _ in 0..200 {
        let mut m = common::manager(&mut rng, 5);
        let (cond, table) = common::cond(&mut rng, &mut m, 4);
        let (choice, payloads) = common::choice(&mut rng, &mut m);
        let place = m.order()[rng.below(5)];
        let new = m.option_before("new", place);
        let at = m.order().iter().position(|&opt| opt == new).unwrap();
        assert_eq!(m.order()[at + 1], place);
        assert_eq!(m.option("new"), new);
        let later = m.option("later");
        assert_eq!(m.order().last(), Some(&later));
        let above = m.option_above("above");
        assert_eq!(m.order()[0], above);
        assert_eq!(truth_of(&m, cond), table.repeat(8));
        assert_eq!(payloads_of(&m, choice), payloads.repeat(8));
        assert_eq!(
            m.count(cond),
            (8 * table.iter().filter(|x| **x).count()).into()
        );
        let both = m.and(m.on(new), cond).unwrap();
        let expected: Vec<bool> = (0..256)
            .map(|c| table[c % 32] && c >> new.index() & 1 == 1)
            .collect();
        assert_eq!(truth_of(&m, both), expected);
    }
}

#[test]
fn small_and_large_caches_give_the_same_results() {
    let mut rng = Rng::new(34);
    let mut m = Manager::with_options((0..16).map(|i| format!("o{i}")));
    m.set_cache_limit(1);
    let mut large = m.clone();
    large.set_cache_limit(1 << 20);
    for _ in 0..100 {
        let formula = common::formula(&mut rng, 16, 6);
        assert_eq!(
            m.compile(&formula).unwrap(),
            large.compile(&formula).unwrap()
        );
    }
}
