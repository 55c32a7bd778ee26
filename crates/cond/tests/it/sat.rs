//! The SAT solver gives the answers that diagrams give.

use crate::common::{self, Rng, truth};
use braid_cond::{Either, FeatureModel, Formula, Manager, Opt, Order, Reasoner, Sat};

const ORDERS: [Order; 4] = [
    Order::FewestOn,
    Order::MostOn,
    Order::OffFirst,
    Order::OnFirst,
];

#[test]
fn the_solver_answers_as_truth_tables_do() {
    let mut rng = Rng::new(60);
    for round in 0..1500 {
        let options = 1 + round % 9;
        let a = common::formula(&mut rng, options, 5);
        let b = common::formula(&mut rng, options, 4);
        let (ta, tb) = (truth(&a, options), truth(&b, options));
        assert_eq!(Sat.satisfiable(&a).unwrap(), ta.iter().any(|x| *x));
        assert_eq!(Sat.tautology(&a).unwrap(), ta.iter().all(|x| *x));
        assert_eq!(
            Sat.entails(&a, &b).unwrap(),
            ta.iter().zip(&tb).all(|(a, b)| !a || *b)
        );
        assert_eq!(Sat.equivalent(&a, &b).unwrap(), ta == tb);
        let mut m = Manager::new();
        assert_eq!(m.satisfiable(&a).unwrap(), ta.iter().any(|x| *x));
        assert_eq!(Reasoner::entails(&mut m, &a, &b), Sat.entails(&a, &b));
        assert_eq!(m.equivalent(&a, &b).unwrap(), ta == tb);
    }
}

#[test]
fn the_solver_finds_the_solutions_that_diagrams_find_in_the_same_order() {
    let mut rng = Rng::new(61);
    for round in 0..300 {
        let options = 1 + round % 6;
        let formula = common::formula(&mut rng, options, 4);
        let mut over: Vec<Opt> = (0..options)
            .map(Opt::new)
            .filter(|_| rng.chance(80))
            .collect();
        over.reverse();
        let limit = if rng.chance(50) {
            usize::MAX
        } else {
            rng.below(10)
        };
        for order in ORDERS {
            let mut m = common::manager(&mut rng, options);
            let expected = m.find(&formula, &over, order, limit).unwrap();
            assert_eq!(
                Sat.find(&formula, &over, order, limit).unwrap(),
                expected,
                "{order:?}"
            );
        }
        let smallest = Manager::new().smallest_of(&formula, &over).unwrap();
        assert_eq!(Sat.smallest_of(&formula, &over).unwrap(), smallest);
    }
}

/// Options i and i + n equal for each i, which no diagram in this order can hold for large n.
fn partners(n: usize) -> Formula {
    let same = |i: usize| Formula::Opt(Opt::new(i)).iff(Formula::Opt(Opt::new(i + n)));
    Formula::all((0..n).map(same))
}

#[test]
fn formulas_whose_diagram_explodes_go_to_the_solver() {
    let mut either = Either::new(20_000);
    assert!(either.satisfiable(&partners(5)).unwrap());
    assert_eq!(either.fell_back(), 0);
    let formula = partners(60) & Formula::count(4, 120, (0..120).map(Opt::new));
    let over: Vec<Opt> = (0..120).map(Opt::new).collect();
    let found = either.find(&formula, &over, Order::FewestOn, 2).unwrap();
    assert_eq!(either.fell_back(), 1);
    assert!(!found.complete);
    let indices: Vec<Vec<usize>> = found
        .solutions
        .iter()
        .map(|solution| solution.iter().map(|opt| opt.index()).collect())
        .collect();
    assert_eq!(indices, [[0, 1, 60, 61], [0, 2, 60, 62]]);
}

#[test]
fn the_solver_counts_over_hundreds_of_options() {
    let opts: Vec<Opt> = (0..300).map(Opt::new).collect();
    let formula = Formula::count(299, 299, opts.iter().copied());
    let found = Sat.find(&formula, &opts, Order::FewestOn, 3).unwrap();
    assert!(found.solutions.iter().all(|solution| solution.len() == 299));
    let most = Sat.find(&Formula::True, &opts, Order::MostOn, 2).unwrap();
    assert_eq!(most.solutions[0], opts);
    assert_eq!(most.solutions[1], opts[..299]);
    let model = FeatureModel::parse("alternative: A, B\nA requires C").unwrap();
    let over: Vec<Opt> = model.names().options().collect();
    assert_eq!(
        Sat.find(&model.formula(), &over, Order::OffFirst, 9)
            .unwrap()
            .solutions
            .len(),
        3
    );
}
