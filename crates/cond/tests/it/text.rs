//! Conditions and formulas as text.

use crate::common::{self, Rng, truth, truth_of};
use braid_cond::{Cond, Error, Formula, Manager, Names};

#[test]
fn a_shown_condition_reads_back_as_itself() {
    let mut rng = Rng::new(40);
    for round in 0..2000 {
        let mut m = common::manager(&mut rng, 1 + round % 8);
        let (cond, _) = common::cond(&mut rng, &mut m, 5);
        let text = m.show(cond).unwrap();
        assert_eq!(m.parse(&text).unwrap(), cond, "{text}");
    }
}

#[test]
fn within_a_context_a_shown_condition_is_right_there() {
    let mut rng = Rng::new(41);
    for round in 0..1500 {
        let mut m = common::manager(&mut rng, 1 + round % 7);
        let (cond, _) = common::cond(&mut rng, &mut m, 5);
        let (context, _) = common::cond(&mut rng, &mut m, 4);
        let text = m.show_in(cond, context).unwrap();
        let shown = m.parse(&text).unwrap();
        let differ = m.xor(shown, cond).unwrap();
        assert!(m.disjoint(differ, context), "{text}");
    }
}

#[test]
fn the_options_of_a_shown_condition_are_those_in_its_text() {
    let mut rng = Rng::new(43);
    for round in 0..1500 {
        let mut m = common::manager(&mut rng, 1 + round % 7);
        let (cond, _) = common::cond(&mut rng, &mut m, 5);
        let bound = rng.below(3);
        let context = match round % 2 {
            0 => common::cond(&mut rng, &mut m, 4).0,
            _ => {
                let opts = m.order().to_vec();
                m.at_most(&opts, bound).unwrap()
            }
        };
        let shown = m.describe_in(cond, context).unwrap();
        let words: Vec<&str> = shown.text.split(|c: char| " !()&|".contains(c)).collect();
        for opt in m.order().to_vec() {
            let named = words.contains(&m.name(opt));
            assert_eq!(shown.options.contains(&opt), named, "{}", shown.text);
        }
    }
}

#[test]
fn no_product_and_no_literal_of_a_dnf_can_be_dropped() {
    let mut rng = Rng::new(42);
    for round in 0..500 {
        let mut m = common::manager(&mut rng, 1 + round % 7);
        let (cond, _) = common::cond(&mut rng, &mut m, 5);
        let dnf = m.dnf(cond, usize::MAX).unwrap();
        assert_eq!(dnf.more, 0);
        let mut conds = Vec::new();
        for product in &dnf.products {
            let literal = |&(opt, on)| if on { m.on(opt) } else { m.off(opt) };
            let literals: Vec<Cond> = product.iter().map(literal).collect();
            for drop in 0..literals.len() {
                let others = literals.iter().enumerate().filter(|(i, _)| *i != drop);
                let wider = m.all(others.map(|(_, &literal)| literal)).unwrap();
                assert!(!m.entails(wider, cond));
            }
            conds.push(m.all(literals).unwrap());
        }
        assert_eq!(m.any(conds.iter().copied()).unwrap(), cond);
        for drop in 0..conds.len() {
            let others = conds.iter().enumerate().filter(|(i, _)| *i != drop);
            let fewer = m.any(others.map(|(_, &product)| product)).unwrap();
            assert_ne!(fewer, cond);
        }
    }
}

#[test]
fn a_shown_formula_reads_back_with_the_same_truth_table() {
    let mut rng = Rng::new(43);
    let odd = [
        "a",
        "true",
        "two words",
        "Foo.bar#1",
        "a\"b\\c",
        "",
        "x-y",
        "größe",
        "7",
        "line\nbreak",
    ];
    let mut names: Names = odd.into_iter().collect();
    for _ in 0..2000 {
        let formula = common::formula(&mut rng, odd.len(), 4);
        let text = formula.show(&names);
        let again = Formula::parse(&text, &mut names).unwrap_or_else(|e| panic!("{e} in {text}"));
        assert_eq!(
            truth(&again, odd.len()),
            truth(&formula, odd.len()),
            "{text}"
        );
    }
    assert_eq!(names.len(), odd.len());
}

#[test]
fn operators_bind_as_documented() {
    let mut names = Names::new();
    let mut check = |text: &str, expected: &str| {
        let formula = Formula::parse(text, &mut names).unwrap();
        assert_eq!(formula.show(&names), expected);
    };
    check("a&&!b||c", "a & !b | c");
    check("(a | b) & c", "(a | b) & c");
    check("a => (b => c)", "a => (b => c)");
    check("a => b => c", "a => (b => c)");
    check("(a => b) => c", "(a => b) => c");
    check("a <=> b | c ^ d", "a <=> b | c ^ d");
    check("not (a and b) or c", "!(a & b) | c");
    check("!!a", "a");
    check(
        "atmost(1: a, b | c) & \"x y\"",
        "atmost(1: a, b | c) & \"x y\"",
    );
    check("ite(a, b => c, true)", "ite(a, b => c, true)");
    check("a ∧ ¬b ∨ c → d", "a & !b | c => d");
    check("a # comment\n | b // comment", "a | b");
}

#[test]
fn conditions_are_shown_in_few_words() {
    let mut m = Manager::with_options(["a", "b", "c", "d"]);
    let mut check = |text: &str, expected: &str| {
        let cond = m.parse(text).unwrap();
        assert_eq!(m.show(cond).unwrap(), expected);
    };
    check("true", "true");
    check("false", "false");
    check("a & !a", "false");
    check("a & b | a & !b", "a");
    check("!(a & b)", "!a | !b");
    check(
        "!(a & b & c | b & c & d | a & d)",
        "!(a & d | a & b & c | b & c & d)",
    );
    let universe = m.parse("atmost(1: a, b, c, d)").unwrap();
    let only_a = m.parse("a & !b & !c & !d").unwrap();
    assert_eq!(m.show_in(only_a, universe).unwrap(), "a");
    let either = m.parse("exactly(1: a, b)").unwrap();
    let not_a = m.parse("!a & c").unwrap();
    assert_eq!(m.show_in(not_a, either).unwrap(), "b & c");
}

#[test]
fn long_conditions_are_cut_short() {
    let mut m = Manager::with_options((0..40).map(|i| format!("o{i}")));
    let opts = m.order().to_vec();
    let many = m.exactly(&opts, 20).unwrap();
    let text = m.show(many).unwrap();
    assert!(
        text.ends_with("… and 137846527820 more") || text.contains("… and "),
        "{text}"
    );
    assert_eq!(m.dnf(many, 10).unwrap().products.len(), 10);
}

#[test]
fn errors_say_where_and_what() {
    let mut m = Manager::new();
    let mut check = |text: &str, expected: &str| {
        let error = m.parse(text).unwrap_err();
        assert!(matches!(error, Error::Syntax { .. }));
        assert_eq!(error.to_string(), expected);
    };
    check(
        "a &",
        "line 1, column 4: expected the name of an option, found the end",
    );
    check(
        "a b",
        "line 1, column 3: expected an operator or the end, found `b`",
    );
    check(
        "(a\n| b",
        "line 2, column 4: expected `)` to end the group, found the end",
    );
    check(
        "atmost(a: b)",
        "line 1, column 8: expected a number, found `a`",
    );
    check(
        "a ? b",
        "line 1, column 4: unexpected character `?`; write names with other characters in double quotes",
    );
    check("\"a", "line 1, column 3: the quoted name does not end");
    let deep = "(".repeat(100_000);
    assert!(m.parse(&deep).is_err());
}

#[test]
fn truth_of_a_parsed_condition_is_that_of_its_text() {
    let mut m = Manager::with_options(["a", "b"]);
    let cond = m.parse("a ^ b").unwrap();
    assert_eq!(truth_of(&m, cond), [false, true, true, false]);
}
