//! Values that depend on options.

use crate::common::{self, Rng, payloads_of, truth_of};
use braid_cond::{Choice, Cond, Manager, Op};
use std::collections::{BTreeMap, BTreeSet};

const ADD: Op = Op::commutative(1);
const SUB: Op = Op::new(1);
const LESS: Op = Op::new(2);
const ODD: Op = Op::new(3);
const DOUBLE: Op = Op::new(4);

fn rounds(seed: u64, mut check: impl FnMut(&mut Rng, &mut Manager)) {
    let mut rng = Rng::new(seed);
    for round in 0..1000 {
        let mut m = common::manager(&mut rng, 1 + round % 7);
        check(&mut rng, &mut m);
    }
}

#[test]
fn lifted_operators_agree_with_each_configuration() {
    rounds(10, |rng, m| {
        let (a, pa) = common::choice(rng, m);
        let (b, pb) = common::choice(rng, m);
        let each = |f: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
            pa.iter().zip(&pb).map(|(&a, &b)| f(a, b)).collect()
        };
        let sum = m.apply(ADD, a, b, u64::wrapping_add).unwrap();
        assert_eq!(payloads_of(m, sum), each(&u64::wrapping_add));
        assert_eq!(m.apply(ADD, b, a, u64::wrapping_add), Ok(sum));
        let difference = m.apply(SUB, a, b, u64::wrapping_sub).unwrap();
        assert_eq!(payloads_of(m, difference), each(&u64::wrapping_sub));
        let contrary = m.apply(SUB, b, a, u64::wrapping_sub).unwrap();
        assert_eq!(payloads_of(m, contrary), each(&|a, b| b.wrapping_sub(a)));
        let double = m.map(DOUBLE, a, |x| x << 1).unwrap();
        assert_eq!(payloads_of(m, double), each(&|a, _| a << 1));
        let less = m.compare(LESS, a, b, |x, y| x < y).unwrap();
        assert_eq!(payloads_of(m, less.into()), each(&|a, b| u64::from(a < b)));
        let odd = m.when(ODD, a, |x| x & 1 == 1).unwrap();
        assert_eq!(payloads_of(m, odd.into()), each(&|a, _| a & 1));
        let equal = m.equal(a, b).unwrap();
        assert_eq!(
            payloads_of(m, equal.into()),
            each(&|a, b| u64::from(a == b))
        );
        let two = m.when_equal(a, 2).unwrap();
        assert_eq!(payloads_of(m, two.into()), each(&|a, _| u64::from(a == 2)));
        let non_zero = m.non_zero(a).unwrap();
        assert_eq!(
            payloads_of(m, non_zero.into()),
            each(&|a, _| u64::from(a != 0))
        );
        let boolean = pa.iter().all(|&a| a <= 1);
        assert_eq!(m.as_cond(a).is_some(), boolean);
        assert_eq!(m.value(a), pa.iter().all(|&x| x == pa[0]).then(|| pa[0]));
    });
}

#[test]
fn select_takes_each_side_where_it_belongs() {
    rounds(11, |rng, m| {
        let (a, pa) = common::choice(rng, m);
        let (b, pb) = common::choice(rng, m);
        let (cond, table) = common::cond(rng, m, 4);
        let selected = m.select(cond, a, b).unwrap();
        let expected: Vec<u64> = (0..pa.len())
            .map(|i| if table[i] { pa[i] } else { pb[i] })
            .collect();
        assert_eq!(payloads_of(m, selected), expected);
    });
}

#[test]
fn operators_within_a_context_see_only_pairs_that_occur_there() {
    rounds(12, |rng, m| {
        let (a, pa) = common::choice(rng, m);
        let (b, pb) = common::choice(rng, m);
        let (context, table) = common::cond(rng, m, 4);
        let occurring: BTreeSet<(u64, u64)> = (0..pa.len())
            .filter(|&i| table[i])
            .map(|i| (pa[i], pb[i]))
            .collect();
        let op = if rng.chance(50) { SUB } else { m.fresh_op() };
        let result = m
            .apply_in(op, context, a, b, |x, y| {
                assert!(
                    occurring.contains(&(x, y)),
                    "{x} and {y} do not occur together"
                );
                x.wrapping_sub(y)
            })
            .unwrap();
        let results = payloads_of(m, result);
        assert!((0..pa.len()).all(|i| !table[i] || results[i] == pa[i].wrapping_sub(pb[i])));
        let mapped = m
            .map_in(DOUBLE, context, a, |x| {
                assert!(occurring.iter().any(|pair| pair.0 == x));
                x << 1
            })
            .unwrap();
        let results = payloads_of(m, mapped);
        assert!((0..pa.len()).all(|i| !table[i] || results[i] == pa[i] << 1));
    });
}

#[test]
fn restriction_keeps_the_context_and_only_its_leaves() {
    rounds(13, |rng, m| {
        let (a, pa) = common::choice(rng, m);
        let (b, pb) = common::choice(rng, m);
        let (context, table) = common::cond(rng, m, 4);
        let inside: BTreeSet<u64> = (0..pa.len()).filter(|&i| table[i]).map(|i| pa[i]).collect();
        let restricted = m.restrict(a, context).unwrap();
        let results = payloads_of(m, restricted);
        assert!((0..pa.len()).all(|i| !table[i] || results[i] == pa[i]));
        if context.is_satisfiable() {
            let left: BTreeSet<u64> = m.payloads(restricted).into_iter().collect();
            assert_eq!(left, inside);
            let only = (inside.len() == 1).then(|| *inside.first().unwrap());
            assert_eq!(m.value_in(a, context).unwrap(), only);
        }
        let agree = (0..pa.len()).all(|i| !table[i] || pa[i] == pb[i]);
        assert_eq!(m.agree_in(a, b, context), agree);
    });
}

#[test]
fn leaves_are_the_parts_of_the_context() {
    rounds(14, |rng, m| {
        let (a, pa) = common::choice(rng, m);
        let (b, pb) = common::choice(rng, m);
        let (context, table) = common::cond(rng, m, 4);
        let mut expected: BTreeMap<u64, Vec<bool>> = BTreeMap::new();
        for i in (0..pa.len()).filter(|&i| table[i]) {
            expected
                .entry(pa[i])
                .or_insert_with(|| vec![false; pa.len()])[i] = true;
        }
        let leaves = m.leaves(a, context).unwrap();
        let found: BTreeMap<u64, Vec<bool>> = leaves
            .iter()
            .map(|&(cond, payload)| (payload, truth_of(m, cond)))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(leaves.len(), expected.len());

        let again = m.choose(&leaves, 99).unwrap();
        assert!(m.agree_in(again, a, context));

        let parts = m.split(context, &[a, b]).unwrap();
        let mut seen = vec![0; pa.len()];
        for (cond, payloads) in &parts {
            assert!(cond.is_satisfiable());
            for (i, _) in truth_of(m, *cond).iter().enumerate().filter(|(_, on)| **on) {
                seen[i] += 1;
                assert_eq!(payloads[..], [pa[i], pb[i]]);
            }
        }
        assert!((0..pa.len()).all(|i| seen[i] == i32::from(table[i])));
        let distinct: BTreeSet<_> = parts.iter().map(|part| &part.1).collect();
        assert_eq!(distinct.len(), parts.len());
    });
}

#[test]
fn a_choice_with_many_leaves_is_taken_apart_right() {
    let mut m = Manager::with_options((0..10).map(|i| format!("o{i}")));
    let mut number = Choice::ZERO;
    for (bit, opt) in m.order().to_vec().into_iter().enumerate() {
        let weight = m.constant(1 << bit).unwrap();
        let summand = m.select(m.on(opt), weight, Choice::ZERO).unwrap();
        number = m.apply(ADD, number, summand, u64::wrapping_add).unwrap();
    }
    let leaves = m.leaves(number, Cond::TRUE).unwrap();
    assert_eq!(leaves.len(), 1024);
    for (cond, payload) in leaves {
        assert_eq!(m.when_equal(number, payload).unwrap(), cond);
        assert!(m.eval(cond, |opt| payload >> opt.index() & 1 == 1));
        assert_eq!(m.count(cond), 1u32.into());
    }
}

#[test]
fn conditions_are_choices_between_zero_and_one() {
    let mut m = Manager::with_options(["a"]);
    let a = m.on(m.order()[0]);
    let choice = m.select(a, Choice::ONE, Choice::ZERO).unwrap();
    assert_eq!(choice, Choice::from(a));
    assert_eq!(m.as_cond(choice), Some(a));
    assert_eq!(m.non_zero(choice).unwrap(), a);
    assert_eq!(Choice::from_raw(choice.to_raw()), Some(choice));
    assert_eq!(Choice::from_raw(0), None);
    assert_eq!(size_of::<Result<Choice, braid_cond::OutOfNodes>>(), 4);
}
