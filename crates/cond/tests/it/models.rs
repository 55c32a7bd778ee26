//! Feature models against a reading of their statements that shares no code with the crate.

use crate::common::{Rng, is_on, truth_of};
use braid_cond::{Error, FeatureModel, Manager, Opt, Sat};

/// A statement with its meaning in one configuration.
struct Statement {
    word: &'static str,
    parent: Option<usize>,
    children: Vec<usize>,
    number: usize,
}

impl Statement {
    fn random(rng: &mut Rng, options: usize) -> Statement {
        const WORDS: [&str; 10] = [
            "mandatory",
            "optional",
            "or",
            "alternative",
            "requires",
            "excludes",
            "atmost",
            "atleast",
            "exactly",
            "root",
        ];
        let word = WORDS[rng.below(WORDS.len())];
        let named = matches!(word, "requires" | "excludes") || rng.chance(70);
        let mut children: Vec<usize> = (0..options).filter(|_| rng.chance(40)).collect();
        if children.is_empty() {
            children.push(rng.below(options));
        }
        let parent = named.then(|| rng.below(options));
        Statement {
            word,
            parent,
            children,
            number: rng.below(4),
        }
    }

    fn text(&self) -> String {
        let parent = self
            .parent
            .map_or(String::new(), |parent| format!("o{parent}"));
        let children: Vec<String> = self
            .children
            .iter()
            .map(|child| format!("o{child}"))
            .collect();
        let children = children.join(", ");
        match self.word {
            "requires" | "excludes" => format!("{parent} {} {children}", self.word),
            "atmost" | "atleast" | "exactly" => {
                format!("{} {}: {children}", self.word, self.number)
            }
            "root" => format!("root {children}"),
            word => format!("{word} {parent}: {children}"),
        }
    }

    fn holds(&self, configuration: usize) -> bool {
        let on = |option: usize| configuration >> option & 1 == 1;
        let parent = self.parent.is_none_or(on);
        let count = self.children.iter().filter(|child| on(**child)).count();
        let all = count == self.children.len();
        match self.word {
            "mandatory" => {
                if parent {
                    all
                } else {
                    count == 0
                }
            }
            "optional" => parent || count == 0,
            "or" => parent == (count > 0),
            "alternative" => count == usize::from(parent),
            "requires" => !parent || all,
            "excludes" => !parent || count == 0,
            "atmost" => count <= self.number,
            "atleast" => count >= self.number,
            "exactly" => count == self.number,
            "root" => all,
            word => panic!("{word}"),
        }
    }
}

#[test]
fn a_model_allows_what_its_statements_allow() {
    let mut rng = Rng::new(50);
    for round in 0..1000 {
        let options = 2 + round % 7;
        let statements: Vec<Statement> = (0..rng.below(5))
            .map(|_| Statement::random(&mut rng, options))
            .collect();
        let names: Vec<String> = (0..options).map(|i| format!("o{i}")).collect();
        let mut text = format!("option {}\n", names.join(", "));
        for statement in &statements {
            text += &format!("{}  # {}\n", statement.text(), statement.word);
        }
        let model = FeatureModel::parse(&text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
        let mut m = Manager::new();
        let valid = model.condition(&mut m).unwrap();
        let expected: Vec<bool> = (0..1 << options)
            .map(|c| statements.iter().all(|s| s.holds(c)))
            .collect();
        assert_eq!(truth_of(&m, valid), expected, "{text}");

        let analysis = model.analyse(&mut Manager::new()).unwrap();
        assert_eq!(analysis, model.analyse(&mut Sat).unwrap());
        assert_eq!(analysis.void, valid.is_false());
        if !analysis.void {
            let always = |opt: Opt, value: bool| {
                (0..expected.len()).all(|c| !expected[c] || is_on(c)(opt) == value)
            };
            for opt in model.names().options() {
                assert_eq!(analysis.dead.contains(&opt), always(opt, false));
                assert_eq!(analysis.core.contains(&opt), always(opt, true));
            }
        }
    }
}

#[test]
fn a_model_finds_its_options_in_a_manager_by_name() {
    let mut m = Manager::with_options(["unrelated", "B"]);
    let model = FeatureModel::parse("A requires B").unwrap();
    let valid = model.condition(&mut m).unwrap();
    assert_eq!(valid, m.parse("!A | B").unwrap());
    assert_eq!(m.option_count(), 3);
}

#[test]
fn rules_remember_their_lines_and_lists_go_on_after_a_comma() {
    let text = "# graph\n\noption A,\n  B, C\nalternative A: B,\n C\nrule A & B => \"C d\"\n";
    let model = FeatureModel::parse(text).unwrap();
    let lines: Vec<usize> = model.rules().iter().map(|rule| rule.line).collect();
    assert_eq!(lines, [5, 7]);
    assert_eq!(model.names().len(), 4);
}

#[test]
fn random_clauses_in_dimacs_form_mean_what_they_say() {
    let mut rng = Rng::new(51);
    for _ in 0..500 {
        let options = 1 + rng.below(8);
        let clauses: Vec<Vec<i64>> = (0..rng.below(12))
            .map(|_| {
                let literal = |rng: &mut Rng| {
                    let variable = 1 + rng.below(options) as i64;
                    if rng.chance(50) { variable } else { -variable }
                };
                (0..rng.below(4)).map(|_| literal(&mut rng)).collect()
            })
            .collect();
        let mut text = format!(
            "c a comment\nc 1 first\np cnf {options} {}\n",
            clauses.len()
        );
        for clause in &clauses {
            let literals: Vec<String> = clause.iter().map(i64::to_string).collect();
            text += &format!(
                "{} 0{}",
                literals.join(" "),
                if rng.chance(50) { "\n" } else { " " }
            );
        }
        let model = FeatureModel::read(&text).unwrap();
        assert_eq!(model.names().name(Opt::new(0)), Some("first"));
        let mut m = Manager::new();
        let valid = model.condition(&mut m).unwrap();
        let holds = |c: usize, &literal: &i64| {
            (c >> (literal.unsigned_abs() - 1) & 1 == 1) == (literal > 0)
        };
        let expected: Vec<bool> = (0..1 << options)
            .map(|c| {
                clauses
                    .iter()
                    .all(|clause| clause.iter().any(|literal| holds(c, literal)))
            })
            .collect();
        assert_eq!(truth_of(&m, valid), expected, "{text}");
    }
}

#[test]
fn errors_in_models_say_where_and_what() {
    let check = |text: &str, expected: &str| {
        let error = FeatureModel::read(text).unwrap_err();
        assert!(matches!(error, Error::Syntax { .. }));
        let message = error.to_string();
        assert!(message.starts_with(expected), "{message}");
    };
    check("A needs B", "line 1, column 3: expected `option`");
    check(
        "\nA requires",
        "line 2, column 4: expected the name of an option, found the end",
    );
    check(
        "or A B",
        "line 1, column 6: expected `:` between the parent and its children, found `B`",
    );
    check(
        "atmost x: A",
        "line 1, column 8: expected a number, found `x`",
    );
    check(
        "option A B",
        "line 1, column 10: expected an operator or the end, found `B`",
    );
    check(
        "p cnf 1 1\n2 0",
        "line 2, column 1: variable 2 is beyond the 1 announced",
    );
    check(
        "p dnf 1 1",
        "line 1, column 1: expected `p cnf VARIABLES CLAUSES`",
    );
    check(
        "p cnf 1 1\n1 x 0",
        "line 2, column 1: expected a number, found `x`",
    );
}
