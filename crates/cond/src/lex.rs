//! Words and signs of formulas and feature models.

use crate::error::Error;

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A bare word: a name, a keyword or a number.
    Word(String),
    /// A name in double quotes, never a keyword.
    Quoted(String),
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Open,
    Close,
    Comma,
    Colon,
}

impl Token {
    /// How it is called in messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Quoted(name) => format!("\"{name}\""),
            Token::Not => "`!`".into(),
            Token::And => "`&`".into(),
            Token::Or => "`|`".into(),
            Token::Xor => "`^`".into(),
            Token::Implies => "`=>`".into(),
            Token::Iff => "`<=>`".into(),
            Token::Open => "`(`".into(),
            Token::Close => "`)`".into(),
            Token::Comma => "`,`".into(),
            Token::Colon => "`:`".into(),
        }
    }
}

/// A token and where it starts.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) token: Token,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Words with a meaning of their own in formulas; an option of that name is written in quotes.
const KEYWORDS: [&str; 12] = [
    "true", "false", "and", "or", "xor", "not", "iff", "implies", "ite", "atmost", "atleast",
    "exactly",
];

/// Can the name be written without quotes?
pub(crate) fn is_bare(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(starts_word) && chars.all(continues_word) && !KEYWORDS.contains(&name)
}

/// The name as it is written in formulas.
pub(crate) fn quote(name: &str) -> String {
    if is_bare(name) {
        return name.to_owned();
    }
    format!(
        "\"{}\"",
        name.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    )
}

fn starts_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn continues_word(c: char) -> bool {
    starts_word(c) || matches!(c, '.' | '#' | '@' | '/')
}

struct Lexer<'t> {
    chars: std::iter::Peekable<std::str::Chars<'t>>,
    line: usize,
    column: usize,
}

/// The tokens of a text. Comments run from `#` or `//` to the end of the line.
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, Error> {
    let mut lexer = Lexer {
        chars: text.chars().peekable(),
        line: 1,
        column: 1,
    };
    let mut tokens = Vec::new();
    while let Some(&c) = lexer.chars.peek() {
        let (line, column) = (lexer.line, lexer.column);
        if c.is_whitespace() {
            lexer.bump();
        } else if c == '#' || c == '/' {
            lexer.comment()?;
        } else {
            tokens.push(Placed {
                token: lexer.token(c)?,
                line,
                column,
            });
        }
    }
    Ok(tokens)
}

impl Lexer<'_> {
    fn bump(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let there = self.chars.peek() == Some(&c);
        if there {
            self.bump();
        }
        there
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::Syntax {
            line: self.line,
            column: self.column,
            message: message.into(),
        })
    }

    fn comment(&mut self) -> Result<(), Error> {
        if self.bump() == Some('/') && !self.eat('/') {
            return self.error("a single `/` has no meaning; a comment starts with `//` or `#`");
        }
        while self.chars.peek().is_some_and(|&c| c != '\n') {
            self.bump();
        }
        Ok(())
    }

    fn token(&mut self, c: char) -> Result<Token, Error> {
        if starts_word(c) {
            return Ok(self.word());
        }
        if c == '"' {
            return self.quoted();
        }
        self.bump();
        Ok(match c {
            '!' | '~' | '¬' => Token::Not,
            '&' => {
                self.eat('&');
                Token::And
            }
            '|' => {
                self.eat('|');
                Token::Or
            }
            '∧' => Token::And,
            '∨' => Token::Or,
            '^' | '⊕' => Token::Xor,
            '⇒' | '→' => Token::Implies,
            '⇔' | '↔' => Token::Iff,
            '(' => Token::Open,
            ')' => Token::Close,
            ',' => Token::Comma,
            ':' => Token::Colon,
            '=' | '-' if self.eat('>') => Token::Implies,
            '<' if (self.eat('=') || self.eat('-')) && self.eat('>') => Token::Iff,
            _ => {
                let hint = "write names with other characters in double quotes";
                return self.error(format!("unexpected character `{c}`; {hint}"));
            }
        })
    }

    fn word(&mut self) -> Token {
        let mut word = String::new();
        while let Some(&c) = self.chars.peek().filter(|&&c| continues_word(c)) {
            word.push(c);
            self.bump();
        }
        match word.as_str() {
            "not" => Token::Not,
            "and" => Token::And,
            "or" => Token::Or,
            "xor" => Token::Xor,
            "implies" => Token::Implies,
            "iff" => Token::Iff,
            _ => Token::Word(word),
        }
    }

    fn quoted(&mut self) -> Result<Token, Error> {
        self.bump();
        let mut name = String::new();
        loop {
            match self.bump() {
                Some('"') => return Ok(Token::Quoted(name)),
                Some('\\') => match self.bump() {
                    Some('n') => name.push('\n'),
                    Some(c) => name.push(c),
                    None => return self.error("the quoted name does not end"),
                },
                Some(c) => name.push(c),
                None => return self.error("the quoted name does not end"),
            }
        }
    }
}
