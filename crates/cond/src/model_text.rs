//! The text form of feature models, and DIMACS clauses.

use crate::error::Error;
use crate::formula::Formula;
use crate::handle::Opt;
use crate::lex::{Placed, Token, tokens};
use crate::model::{FeatureModel, Rule};
use crate::names::Names;
use crate::parse::{COUNTS, Parser};

/// The statements, as listed in messages.
const STATEMENTS: &str = "`option`, `root`, `mandatory`, `optional`, `or`, `alternative`, `atmost`, `atleast`, \
                          `exactly`, `rule`, or `NAME requires …` or `NAME excludes …`";

impl FeatureModel {
    /// Reads a model, one statement a line (a line that ends in a comma goes on in the next):
    ///
    /// ```text
    /// option A, B, C                # options need not be declared, but this fixes their order
    /// root Base                     # always on
    /// mandatory Base: Core          # on exactly with the parent
    /// optional Base: A, B           # not without the parent
    /// or A: X, Y                    # with A at least one of them, without it none
    /// alternative B: P, Q, R        # with B exactly one of them, without it none
    /// A requires B, C
    /// X excludes P
    /// atmost 2: A, B, C             # also atleast, exactly
    /// rule X & Y => !P
    /// ```
    ///
    /// Without a parent (`alternative: P, Q`) a group stands under an option that is always on.
    ///
    /// ```
    /// use braid_cond::{FeatureModel, Manager};
    /// let model = FeatureModel::parse("alternative: Directed, Undirected\nMst requires Undirected").unwrap();
    /// let mut m = Manager::new();
    /// let valid = model.condition(&mut m).unwrap();
    /// assert_eq!(m.show(valid).unwrap(), "!Directed & Undirected | Directed & !Undirected & !Mst");
    /// ```
    pub fn parse(text: &str) -> Result<FeatureModel, Error> {
        let mut model = FeatureModel::new();
        let tokens = tokens(text)?;
        for statement in statements(&tokens) {
            let mut names = std::mem::take(&mut model.names);
            let result = read(statement, &mut names);
            model.names = names;
            model.add(result?, statement[0].line);
        }
        Ok(model)
    }

    /// Adds what a statement says, remembering its line.
    fn add(&mut self, statement: Statement, line: usize) {
        let first = self.rules.len();
        match statement {
            Statement::Nothing => {}
            Statement::Root(opts) => opts.into_iter().for_each(|opt| self.root(opt)),
            Statement::Group(add, parent, children) => add(self, parent, &children),
            Statement::Requires(opt, others) => self.requires(opt, &others),
            Statement::Excludes(opt, others) => self.excludes(opt, &others),
            Statement::Formula(formula) => self.rule(formula),
        }
        self.rules[first..]
            .iter_mut()
            .for_each(|rule| rule.line = line);
    }

    /// Reads clauses in DIMACS form. A comment `c 3 Name` names variable 3; others are called by their numbers.
    ///
    /// ```
    /// use braid_cond::{FeatureModel, Manager};
    /// let model = FeatureModel::parse_dimacs("c 1 A\nc 2 B\np cnf 2 1\n-1 2 0").unwrap();
    /// let mut m = Manager::new();
    /// let valid = model.condition(&mut m).unwrap();
    /// assert_eq!(m.show(valid).unwrap(), "!A | B");
    /// ```
    pub fn parse_dimacs(text: &str) -> Result<FeatureModel, Error> {
        let mut reader = Dimacs::default();
        for (index, line) in text.lines().enumerate() {
            reader.line(line.trim(), index + 1)?;
        }
        reader.finish()
    }

    /// Reads either form: DIMACS if the first line that is not a comment is a problem line.
    pub fn read(text: &str) -> Result<FeatureModel, Error> {
        let comment = |line: &&str| *line == "c" || line.starts_with("c ") || line.is_empty();
        let first = text.lines().map(str::trim).find(|line| !comment(line));
        if first.is_some_and(|line| line.starts_with("p ")) {
            FeatureModel::parse_dimacs(text)
        } else {
            FeatureModel::parse(text)
        }
    }
}

/// The tokens line by line, lines joined after a comma.
fn statements(tokens: &[Placed]) -> impl Iterator<Item = &[Placed]> {
    tokens.chunk_by(|a, b| a.line == b.line || a.token == Token::Comma)
}

type AddGroup = fn(&mut FeatureModel, Option<Opt>, &[Opt]);

enum Statement {
    Nothing,
    Root(Vec<Opt>),
    Group(AddGroup, Option<Opt>, Vec<Opt>),
    Requires(Opt, Vec<Opt>),
    Excludes(Opt, Vec<Opt>),
    Formula(Formula),
}

/// Reads one statement.
fn read(tokens: &[Placed], names: &mut Names) -> Result<Statement, Error> {
    let mut intern = |name: &str| names.intern(name);
    let mut parser = Parser::new(tokens, &mut intern);
    let statement = statement(&mut parser)?;
    parser.end()?;
    Ok(statement)
}

fn statement(parser: &mut Parser<'_>) -> Result<Statement, Error> {
    const GROUPS: [(&str, AddGroup); 3] = [
        ("mandatory", FeatureModel::mandatory),
        ("optional", FeatureModel::optional),
        ("alternative", FeatureModel::alternative),
    ];
    if parser.eat_word("option") {
        parser.name_list()?;
        return Ok(Statement::Nothing);
    }
    if parser.eat_word("root") {
        return Ok(Statement::Root(parser.name_list()?));
    }
    if parser.eat_word("rule") {
        return Ok(Statement::Formula(parser.formula()?));
    }
    if parser.eat(&Token::Or) {
        return group(parser, FeatureModel::or_group);
    }
    for (word, add) in GROUPS {
        if parser.eat_word(word) {
            return group(parser, add);
        }
    }
    for (word, count) in COUNTS {
        if parser.eat_word(word) {
            let n = parser.number()?;
            parser.expect(&Token::Colon, "after the number")?;
            let of = parser.name_list()?;
            let (min, max) = count.range(n, of.len());
            return Ok(Statement::Formula(Formula::count(min, max, of)));
        }
    }
    let Some(Token::Word(_) | Token::Quoted(_)) = parser.peek() else {
        return parser.error(format!("expected {STATEMENTS}"));
    };
    let opt = parser.name()?;
    if parser.eat_word("requires") {
        Ok(Statement::Requires(opt, parser.name_list()?))
    } else if parser.eat_word("excludes") {
        Ok(Statement::Excludes(opt, parser.name_list()?))
    } else {
        parser.error(format!("expected {STATEMENTS}"))
    }
}

/// `PARENT: CHILD, …` or `: CHILD, …`.
fn group(parser: &mut Parser<'_>, add: AddGroup) -> Result<Statement, Error> {
    let parent = if parser.peek() == Some(&Token::Colon) {
        None
    } else {
        Some(parser.name()?)
    };
    parser.expect(&Token::Colon, "between the parent and its children")?;
    Ok(Statement::Group(add, parent, parser.name_list()?))
}

/// The state of reading DIMACS lines.
#[derive(Default)]
struct Dimacs {
    variables: Option<usize>,
    names: Vec<(usize, String)>,
    clauses: Vec<(usize, Vec<i64>)>,
    open: Vec<i64>,
    last_line: usize,
}

impl Dimacs {
    fn error<T>(line: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::Syntax {
            line,
            column: 1,
            message: message.into(),
        })
    }

    fn line(&mut self, text: &str, line: usize) -> Result<(), Error> {
        let mut words = text.split_whitespace();
        match words.next() {
            None => Ok(()),
            Some("c") => {
                self.comment(text);
                Ok(())
            }
            Some("p") => self.problem(words.collect(), line),
            Some(_) => self.numbers(text, line),
        }
    }

    fn comment(&mut self, text: &str) {
        let mut words = text.splitn(3, char::is_whitespace).skip(1);
        if let (Some(Ok(number)), Some(name)) = (words.next().map(str::parse), words.next())
            && !name.trim().is_empty()
        {
            self.names.push((number, name.trim().to_owned()));
        }
    }

    fn problem(&mut self, words: Vec<&str>, line: usize) -> Result<(), Error> {
        let [form, variables, _] = words[..] else {
            return Dimacs::error(line, "expected `p cnf VARIABLES CLAUSES`");
        };
        let (true, Ok(variables)) = (form == "cnf", variables.parse()) else {
            return Dimacs::error(line, "expected `p cnf VARIABLES CLAUSES`");
        };
        if variables > 1 << 24 {
            return Dimacs::error(line, "more than 2^24 variables are not supported");
        }
        self.variables = Some(variables);
        Ok(())
    }

    fn numbers(&mut self, text: &str, line: usize) -> Result<(), Error> {
        let Some(variables) = self.variables else {
            return Dimacs::error(
                line,
                "expected `p cnf VARIABLES CLAUSES` before the first clause",
            );
        };
        for word in text.split_whitespace() {
            self.last_line = line;
            match word.parse::<i64>() {
                Ok(0) => self.clauses.push((line, std::mem::take(&mut self.open))),
                Ok(number) if number.unsigned_abs() <= variables as u64 => self.open.push(number),
                Ok(number) => {
                    let most = format!("variable {number} is beyond the {variables} announced");
                    return Dimacs::error(line, most);
                }
                Err(_) => return Dimacs::error(line, format!("expected a number, found `{word}`")),
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<FeatureModel, Error> {
        if !self.open.is_empty() {
            self.clauses
                .push((self.last_line, std::mem::take(&mut self.open)));
        }
        let mut names: Vec<String> = (1..=self.variables.unwrap_or(0))
            .map(|number| number.to_string())
            .collect();
        for (number, name) in self.names {
            if let Some(place) = number.checked_sub(1).and_then(|index| names.get_mut(index)) {
                *place = name;
            }
        }
        let expected = names.len();
        let names: Names = names.into_iter().collect();
        if names.len() != expected {
            return Dimacs::error(1, "two variables have the same name");
        }
        let literal = |number: i64| {
            let option = Formula::Opt(Opt::new(number.unsigned_abs() as usize - 1));
            if number < 0 { !option } else { option }
        };
        let rules = self.clauses.into_iter().map(|(line, clause)| {
            let formula = Formula::any(clause.into_iter().map(literal));
            Rule { formula, line }
        });
        Ok(FeatureModel {
            rules: rules.collect(),
            names,
        })
    }
}
