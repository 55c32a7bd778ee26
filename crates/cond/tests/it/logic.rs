//! Connectives, questions, quantification.

use crate::common::{self, Rng, truth, truth_of};
use braid_cond::{Cond, Manager};
use std::collections::HashMap;

fn zip(a: &[bool], b: &[bool], f: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

#[test]
fn a_compiled_formula_is_true_where_the_formula_is() {
    let mut rng = Rng::new(1);
    for round in 0..2000 {
        let options = 1 + round % 12;
        let mut m = common::manager(&mut rng, options);
        let formula = common::formula(&mut rng, options, 5);
        let cond = m.compile(&formula).unwrap();
        assert_eq!(truth_of(&m, cond), truth(&formula, options));
    }
}

#[test]
fn equivalent_conditions_have_the_same_handle() {
    let mut rng = Rng::new(2);
    for _ in 0..50 {
        let mut m = common::manager(&mut rng, 4);
        let mut known: HashMap<Vec<bool>, Cond> = HashMap::new();
        for _ in 0..200 {
            let (cond, table) = common::cond(&mut rng, &mut m, 4);
            assert_eq!(cond.is_tautology(), table.iter().all(|&x| x));
            assert_eq!(cond.is_satisfiable(), table.iter().any(|&x| x));
            assert_eq!(*known.entry(table).or_insert(cond), cond);
        }
    }
}

#[test]
fn connectives_agree_with_truth_tables() {
    let mut rng = Rng::new(3);
    for round in 0..2000 {
        let mut m = common::manager(&mut rng, 1 + round % 9);
        let (a, ta) = common::cond(&mut rng, &mut m, 4);
        let (b, tb) = common::cond(&mut rng, &mut m, 4);
        let (c, tc) = common::cond(&mut rng, &mut m, 3);
        let and = m.and(a, b).unwrap();
        assert_eq!(truth_of(&m, and), zip(&ta, &tb, |a, b| a && b));
        let or = m.or(a, b).unwrap();
        assert_eq!(truth_of(&m, or), zip(&ta, &tb, |a, b| a || b));
        let xor = m.xor(a, b).unwrap();
        assert_eq!(truth_of(&m, xor), zip(&ta, &tb, |a, b| a != b));
        let iff = m.iff(a, b).unwrap();
        assert_eq!(truth_of(&m, iff), zip(&ta, &tb, |a, b| a == b));
        let implies = m.implies(a, b).unwrap();
        assert_eq!(truth_of(&m, implies), zip(&ta, &tb, |a, b| !a || b));
        let minus = m.minus(a, b).unwrap();
        assert_eq!(truth_of(&m, minus), zip(&ta, &tb, |a, b| a && !b));
        let not = m.not(a).unwrap();
        assert_eq!(truth_of(&m, not), zip(&ta, &ta, |a, _| !a));
        let ite = m.ite(a, b, c).unwrap();
        let expected: Vec<bool> = (0..ta.len())
            .map(|i| if ta[i] { tb[i] } else { tc[i] })
            .collect();
        assert_eq!(truth_of(&m, ite), expected);
        assert_eq!(
            m.entails(a, b),
            zip(&ta, &tb, |a, b| a && !b).iter().all(|x| !x)
        );
        assert_eq!(
            m.disjoint(a, b),
            zip(&ta, &tb, |a, b| a && b).iter().all(|x| !x)
        );
        let all = m.all([a, b, c]).unwrap();
        let and_c = m.and(and, c).unwrap();
        assert_eq!(all, and_c);
        let any = m.any([a, b, c]).unwrap();
        let or_c = m.or(or, c).unwrap();
        assert_eq!(any, or_c);
    }
}

#[test]
fn quantification_agrees_with_truth_tables() {
    let mut rng = Rng::new(4);
    for round in 0..1500 {
        let options = 2 + round % 7;
        let mut m = common::manager(&mut rng, options);
        let (a, ta) = common::cond(&mut rng, &mut m, 4);
        let opts = m.names().options().collect::<Vec<_>>();
        let opt = opts[rng.below(options)];
        let bit = 1 << opt.index();
        let [off, on] = [false, true].map(|on| m.cofactor(a, opt, on).unwrap());
        let fixed = |on: bool| -> Vec<bool> {
            (0..ta.len())
                .map(|c| ta[if on { c | bit } else { c & !bit }])
                .collect()
        };
        assert_eq!(truth_of(&m, off), fixed(false));
        assert_eq!(truth_of(&m, on), fixed(true));

        let some: Vec<_> = opts.iter().copied().filter(|_| rng.chance(40)).collect();
        let mask: usize = some.iter().map(|opt| 1 << opt.index()).sum();
        let settings = |c: usize| (0..ta.len()).filter(move |d| d & !mask == c & !mask);
        let exists = m.exists(a, &some).unwrap();
        let expected: Vec<bool> = (0..ta.len()).map(|c| settings(c).any(|d| ta[d])).collect();
        assert_eq!(truth_of(&m, exists), expected);
        let forall = m.forall(a, &some).unwrap();
        let expected: Vec<bool> = (0..ta.len()).map(|c| settings(c).all(|d| ta[d])).collect();
        assert_eq!(truth_of(&m, forall), expected);

        let support = m.support(a);
        for opt in opts {
            let [off, on] = [false, true].map(|on| m.cofactor(a, opt, on).unwrap());
            assert_eq!(support.contains(&opt), off != on);
        }
    }
}

#[test]
fn a_simplified_condition_is_the_same_within_its_context() {
    let mut rng = Rng::new(5);
    for round in 0..1500 {
        let mut m = common::manager(&mut rng, 1 + round % 8);
        let (a, ta) = common::cond(&mut rng, &mut m, 4);
        let (context, tc) = common::cond(&mut rng, &mut m, 4);
        let simple = m.simplify(a, context).unwrap();
        let ts = truth_of(&m, simple);
        assert!((0..ta.len()).all(|i| !tc[i] || ta[i] == ts[i]));
        if m.entails(context, a) && context.is_satisfiable() {
            assert_eq!(simple, Cond::TRUE);
        }
    }
}

#[test]
fn thousands_of_options_do_not_overflow_the_stack() {
    let mut m = Manager::with_options((0..20_000).map(|i| i.to_string()));
    let opts = m.order().to_vec();
    let on: Vec<Cond> = opts.iter().map(|&opt| m.on(opt)).collect();
    let all = m.all(on.iter().copied()).unwrap();
    let none_of = m.any(on.iter().copied()).unwrap();
    let none = m.not(none_of).unwrap();
    let even = m.all(on.iter().copied().step_by(2)).unwrap();
    assert!(m.disjoint(all, none));
    assert!(m.entails(all, even));
    let some_even: Vec<_> = opts.iter().copied().skip(1).step_by(2).collect();
    assert_eq!(m.exists(all, &some_even).unwrap(), even);
    assert_eq!(
        m.simplify(all, even)
            .and_then(|odd| m.and(odd, even))
            .unwrap(),
        all
    );
    assert_eq!(m.smallest(even).unwrap().len(), 10_000);
    assert_eq!(m.dnf(none, 2).unwrap().literals(), 20_000);
    assert_eq!(m.support(all).len(), 20_000);
    assert_eq!(m.count(all), 1u32.into());
    let seven = m.constant(7).unwrap();
    let five = m.constant(5).unwrap();
    let value = m.select(all, seven, five).unwrap();
    assert_eq!(m.value_in(value, all).unwrap(), Some(7));
    assert_eq!(m.leaves(value, Cond::TRUE).unwrap().len(), 2);
}
