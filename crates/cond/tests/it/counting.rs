//! Counting, bounds, enumeration.

use crate::common::{self, Rng, is_on, truth_of};
use braid_cond::{BigUint, Cond, Manager, Opt, Order};
use std::cmp::Reverse;

/// Settings of `over` that the table allows, brought into the order by sorting.
fn expected(table: &[bool], over: &[Opt], order: Order) -> Vec<Vec<Opt>> {
    let mut settings: Vec<Vec<bool>> = (0..table.len())
        .filter(|&c| table[c])
        .map(|c| over.iter().map(|&opt| is_on(c)(opt)).collect())
        .collect();
    settings.sort_by_key(|setting: &Vec<bool>| {
        let on = setting.iter().filter(|on| **on).count() as isize;
        let on_first = Reverse(setting.clone());
        match order {
            Order::FewestOn => (on, on_first, Vec::new()),
            Order::MostOn => (-on, on_first, Vec::new()),
            Order::OnFirst => (0, on_first, Vec::new()),
            Order::OffFirst => (0, Reverse(Vec::new()), setting.clone()),
        }
    });
    settings.dedup();
    let on = |setting: Vec<bool>| {
        over.iter()
            .zip(setting)
            .filter(|(_, on)| *on)
            .map(|(&opt, _)| opt)
            .collect()
    };
    settings.into_iter().map(on).collect()
}

#[test]
fn solutions_come_complete_and_in_order() {
    let mut rng = Rng::new(20);
    for round in 0..800 {
        let options = 1 + round % 7;
        let mut m = common::manager(&mut rng, options);
        let (cond, table) = common::cond(&mut rng, &mut m, 4);
        let mut over: Vec<Opt> = m.names().options().collect();
        for i in (1..over.len()).rev() {
            over.swap(i, rng.below(i + 1));
        }
        over.truncate(1 + rng.below(options));
        for order in [
            Order::FewestOn,
            Order::MostOn,
            Order::OffFirst,
            Order::OnFirst,
        ] {
            let found: Vec<Vec<Opt>> = m
                .solutions(cond, &over, order)
                .unwrap()
                .map(Result::unwrap)
                .collect();
            assert_eq!(found, expected(&table, &over, order), "{order:?}");
        }
        let projected = expected(&table, &over, Order::OffFirst).len();
        assert_eq!(m.count_over(cond, &over).unwrap(), projected.into());
    }
}

#[test]
fn counts_and_smallest_solutions_are_those_of_brute_force() {
    let mut rng = Rng::new(21);
    for round in 0..1500 {
        let mut m = common::manager(&mut rng, 1 + round % 10);
        let (cond, table) = common::cond(&mut rng, &mut m, 5);
        assert_eq!(m.count(cond), table.iter().filter(|x| **x).count().into());
        let order = m.order().to_vec();
        let first = expected(&table, &order, Order::FewestOn).into_iter().next();
        assert_eq!(m.smallest(cond), first);
        match m.any_solution(cond) {
            Some(on) => assert!(m.eval(cond, |opt| on.contains(&opt))),
            None => assert!(cond.is_false()),
        }
    }
}

#[test]
fn bounds_hold_exactly_where_so_many_are_on() {
    let mut rng = Rng::new(22);
    for round in 0..500 {
        let options = 1 + round % 8;
        let mut m = common::manager(&mut rng, options);
        let opts: Vec<Opt> = m.names().options().filter(|_| rng.chance(70)).collect();
        let (min, max) = (rng.below(6), rng.below(6));
        let on = |c: usize| opts.iter().filter(|opt| is_on(c)(**opt)).count();
        let check = |m: &Manager, cond: Cond, right: &dyn Fn(usize) -> bool| {
            let expected: Vec<bool> = (0..1 << options).map(|c| right(on(c))).collect();
            assert_eq!(truth_of(m, cond), expected);
        };
        let between = m.between(&opts, min, max).unwrap();
        check(&m, between, &|on| min <= on && on <= max);
        let at_most = m.at_most(&opts, max).unwrap();
        check(&m, at_most, &|on| on <= max);
        let at_least = m.at_least(&opts, min).unwrap();
        check(&m, at_least, &|on| on >= min);
        let exactly = m.exactly(&opts, min).unwrap();
        check(&m, exactly, &|on| on == min);
        let literals: Vec<Cond> = opts.iter().map(|&opt| m.on(opt)).collect();
        assert_eq!(m.between_of(&literals, min, max).unwrap(), between);
        let (a, ta) = common::cond(&mut rng, &mut m, 3);
        let (b, tb) = common::cond(&mut rng, &mut m, 3);
        let one = m.at_most_of(&[a, b], 1).unwrap();
        let expected: Vec<bool> = (0..ta.len()).map(|i| !(ta[i] && tb[i])).collect();
        assert_eq!(truth_of(&m, one), expected);
    }
}

#[test]
fn thousands_of_options_are_counted_exactly() {
    let mut m = Manager::with_options((0..3000).map(|i| i.to_string()));
    let opts = m.order().to_vec();
    assert_eq!(m.count(Cond::TRUE), BigUint::from(1u32) << 3000);
    let few = m.at_most(&opts, 3).unwrap();
    let n = 3000u64;
    let expected = 1 + n + n * (n - 1) / 2 + n * (n - 1) * (n - 2) / 6;
    assert_eq!(m.count(few), expected.into());
    let pairs = m.exactly(&opts, 2).unwrap();
    let first: Vec<Vec<Opt>> = m
        .solutions(pairs, &opts, Order::FewestOn)
        .unwrap()
        .take(2)
        .map(Result::unwrap)
        .collect();
    assert_eq!(first, [vec![opts[0], opts[1]], vec![opts[0], opts[2]]]);
}

#[test]
fn enumeration_skips_numbers_of_options_that_no_solution_has() {
    let mut m = Manager::with_options((0..2000).map(|i| i.to_string()));
    let opts = m.order().to_vec();
    let mut equal = Cond::TRUE;
    for pair in opts.windows(2).rev() {
        let same = m.iff(m.on(pair[0]), m.on(pair[1])).unwrap();
        equal = m.and(equal, same).unwrap();
    }
    let sizes: Vec<usize> = m
        .solutions(equal, &opts, Order::FewestOn)
        .unwrap()
        .map(|solution| solution.unwrap().len())
        .collect();
    assert_eq!(sizes, [0, 2000]);
}
