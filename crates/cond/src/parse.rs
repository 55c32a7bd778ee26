//! Formulas from text: `!a & (b | "odd name") => atmost(1: c, d)`.
//!
//! From loosest to tightest: `<=>`, `=>` (to the right), `|`, `^`, `&`, `!`. The words `iff`, `implies`, `or`, `xor`,
//! `and`, `not` and the doubled signs `||`, `&&` work as well; `ite(c, a, b)` chooses and `atmost(n: …)`,
//! `atleast(n: …)`, `exactly(n: …)` count.

use crate::Manager;
use crate::error::Error;
use crate::formula::Formula;
use crate::handle::{Cond, Opt};
use crate::lex::{Placed, Token, tokens};
use crate::names::Names;

/// Parentheses and negations may be nested this deep.
const MAX_DEPTH: usize = 200;

impl Formula {
    /// Reads a formula; names that are not known yet become new options.
    ///
    /// ```
    /// use braid_cond::{Formula, Names};
    /// let mut names = Names::new();
    /// let formula = Formula::parse("a & !b | c", &mut names).unwrap();
    /// assert_eq!(formula.show(&names), "a & !b | c");
    /// ```
    pub fn parse(text: &str, names: &mut Names) -> Result<Formula, Error> {
        let tokens = tokens(text)?;
        let mut intern = |name: &str| names.intern(name);
        let mut parser = Parser::new(&tokens, &mut intern);
        let formula = parser.formula()?;
        parser.end()?;
        Ok(formula)
    }
}

impl Manager {
    /// Reads a condition; names that are not known yet become new options at the end of the order.
    pub fn parse(&mut self, text: &str) -> Result<Cond, Error> {
        let tokens = tokens(text)?;
        let mut intern = |name: &str| self.option(name);
        let mut parser = Parser::new(&tokens, &mut intern);
        let formula = parser.formula()?;
        parser.end()?;
        Ok(self.compile(&formula)?)
    }
}

/// Reads formulas from a list of tokens.
pub(crate) struct Parser<'t> {
    tokens: &'t [Placed],
    next: usize,
    depth: usize,
    intern: &'t mut dyn FnMut(&str) -> Opt,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(tokens: &'t [Placed], intern: &'t mut dyn FnMut(&str) -> Opt) -> Parser<'t> {
        Parser {
            tokens,
            next: 0,
            depth: 0,
            intern,
        }
    }

    pub(crate) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.next).map(|placed| &placed.token)
    }

    pub(crate) fn eat(&mut self, token: &Token) -> bool {
        let there = self.peek() == Some(token);
        self.next += usize::from(there);
        there
    }

    /// Consumes a bare word that stands for itself.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        self.next += usize::from(there);
        there
    }

    pub(crate) fn expect(&mut self, token: &Token, purpose: &str) -> Result<(), Error> {
        if self.eat(token) {
            return Ok(());
        }
        self.error(format!("expected {} {purpose}", token.describe()))
    }

    /// An error at the next token.
    pub(crate) fn error<T>(&self, expected: impl Into<String>) -> Result<T, Error> {
        let mut message = expected.into();
        let (line, column) = match self.tokens.get(self.next) {
            Some(placed) => {
                message += &format!(", found {}", placed.token.describe());
                (placed.line, placed.column)
            }
            None => {
                message += ", found the end";
                self.tokens
                    .last()
                    .map_or((1, 1), |placed| (placed.line, placed.column + 1))
            }
        };
        Err(Error::Syntax {
            line,
            column,
            message,
        })
    }

    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.next == self.tokens.len() {
            return Ok(());
        }
        self.error("expected an operator or the end")
    }

    /// Reads an option's name.
    pub(crate) fn name(&mut self) -> Result<Opt, Error> {
        match self.peek() {
            Some(Token::Word(name) | Token::Quoted(name)) => {
                self.next += 1;
                Ok((self.intern)(name))
            }
            _ => self.error("expected the name of an option"),
        }
    }

    /// Reads names separated by commas.
    pub(crate) fn name_list(&mut self) -> Result<Vec<Opt>, Error> {
        let mut names = vec![self.name()?];
        while self.eat(&Token::Comma) {
            names.push(self.name()?);
        }
        Ok(names)
    }

    pub(crate) fn number(&mut self) -> Result<usize, Error> {
        if let Some(Token::Word(word)) = self.peek()
            && let Ok(number) = word.parse()
        {
            self.next += 1;
            return Ok(number);
        }
        self.error("expected a number")
    }

    pub(crate) fn formula(&mut self) -> Result<Formula, Error> {
        let mut left = self.implication()?;
        while self.eat(&Token::Iff) {
            left = left.iff(self.implication()?);
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<Formula, Error> {
        let mut chain = vec![self.operands(&Token::Or)?];
        while self.eat(&Token::Implies) {
            chain.push(self.operands(&Token::Or)?);
        }
        let last = chain.pop().unwrap_or(Formula::True);
        Ok(chain
            .into_iter()
            .rfold(last, |right, left| left.implies(right)))
    }

    /// Operands of `|`, `^` or `&`, each looser than the next.
    fn operands(&mut self, operator: &Token) -> Result<Formula, Error> {
        let mut operands = vec![self.operand(operator)?];
        while self.eat(operator) {
            operands.push(self.operand(operator)?);
        }
        if operands.len() == 1 {
            return Ok(operands.swap_remove(0));
        }
        Ok(match operator {
            Token::Or => Formula::Or(operands),
            Token::And => Formula::And(operands),
            _ => {
                let mut operands = operands.into_iter();
                let first = operands.next().unwrap_or(Formula::False);
                operands.fold(first, |left, right| left ^ right)
            }
        })
    }

    fn operand(&mut self, operator: &Token) -> Result<Formula, Error> {
        match operator {
            Token::Or => self.operands(&Token::Xor),
            Token::Xor => self.operands(&Token::And),
            _ => self.unary(),
        }
    }

    fn unary(&mut self) -> Result<Formula, Error> {
        let mut negated = false;
        while self.eat(&Token::Not) {
            negated = !negated;
        }
        let formula = self.primary()?;
        Ok(if negated { !formula } else { formula })
    }

    fn primary(&mut self) -> Result<Formula, Error> {
        if self.eat_word("true") {
            return Ok(Formula::True);
        }
        if self.eat_word("false") {
            return Ok(Formula::False);
        }
        for (word, count) in COUNTS {
            if self.eat_word(word) {
                return self.count(count);
            }
        }
        if self.eat_word("ite") {
            return self.nested(|parser| {
                let cond = parser.formula()?;
                parser.expect(&Token::Comma, "after the condition of `ite`")?;
                let yes = parser.formula()?;
                parser.expect(&Token::Comma, "after the first alternative of `ite`")?;
                Ok(cond.ite(yes, parser.formula()?))
            });
        }
        if self.peek() == Some(&Token::Open) {
            return self.nested(Parser::formula);
        }
        Ok(Formula::Opt(self.name()?))
    }

    /// What stands between parentheses.
    fn nested(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<Formula, Error>,
    ) -> Result<Formula, Error> {
        if self.depth == MAX_DEPTH {
            return self.error(format!("parentheses are nested more than {MAX_DEPTH} deep"));
        }
        self.expect(&Token::Open, "to begin a group")?;
        self.depth += 1;
        let formula = inside(self)?;
        self.depth -= 1;
        self.expect(&Token::Close, "to end the group")?;
        Ok(formula)
    }

    fn count(&mut self, count: Count) -> Result<Formula, Error> {
        self.nested(|parser| {
            let n = parser.number()?;
            parser.expect(&Token::Colon, "after the number")?;
            let mut of = vec![parser.formula()?];
            while parser.eat(&Token::Comma) {
                of.push(parser.formula()?);
            }
            let (min, max) = count.range(n, of.len());
            Ok(Formula::Count { min, max, of })
        })
    }
}

/// A way to bound a number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Count {
    AtMost,
    AtLeast,
    Exactly,
}

/// The words for counting.
pub(crate) const COUNTS: [(&str, Count); 3] = [
    ("atmost", Count::AtMost),
    ("atleast", Count::AtLeast),
    ("exactly", Count::Exactly),
];

impl Count {
    /// The least and the greatest number allowed among `of`.
    pub(crate) fn range(self, n: usize, of: usize) -> (usize, usize) {
        match self {
            Count::AtMost => (0, n),
            Count::AtLeast => (n, of.max(n)),
            Count::Exactly => (n, n),
        }
    }
}
