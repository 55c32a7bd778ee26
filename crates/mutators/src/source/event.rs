//! What source and bytecode have in common: one event for each operation, in the order in which
//! they are carried out.

use tree_sitter::Node;

use crate::binary::Binary;
use crate::constants::Number;

/// The kind of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Condition {
    /// A test for equality, for null or of a boolean.
    Equal,
    /// A comparison of numbers.
    Order,
}

/// What an event is. Equal keys may be matched.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    Binary(Binary),
    Condition(Condition),
    /// A method called.
    Call(String),
    /// An object made, by the simple name of its class.
    New(String),
    /// A variable read, local or field.
    Name(String),
    /// A field assigned.
    Assign(String),
    /// A number or boolean, by its value: the literal `1` may become an int, a long or a double.
    Number(String),
    Return,
    Increment,
    Negate,
    Switch,
    /// An element of an array read.
    Element,
}

impl Key {
    pub(super) fn of_number(number: Number) -> Key {
        let text = match number {
            Number::Int(value) => value.to_string(),
            Number::Long(value) => value.to_string(),
            Number::Float(value) => shortest(f64::from(value), format!("{value:?}")),
            Number::Double(value) => shortest(value, format!("{value:?}")),
        };
        Key::Number(text)
    }
}

/// Fractions without a fraction are written like integers.
fn shortest(value: f64, text: String) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return (value as i64).to_string();
    }
    text
}

/// An operation in the source.
#[derive(Clone, Copy)]
pub(super) struct Origin<'t> {
    /// The expression or statement.
    pub(super) node: Node<'t>,
    /// For conditions: an odd number of `!` stands around it.
    pub(super) negated: bool,
    /// For variables: it cannot be assigned.
    pub(super) constant: bool,
    /// For conditions: the `&&` or `||` whose left operand ends here.
    pub(super) connector: Option<Node<'t>>,
    /// Line of the statement around it.
    pub(super) statement_line: u32,
}

/// An event of the source.
pub(super) struct SourceEvent<'t> {
    pub(super) key: Key,
    pub(super) origin: Origin<'t>,
}

impl SourceEvent<'_> {
    /// True if an instruction on this line may stand for it: lines of instructions lie between
    /// the start of the statement and the end of the expression.
    pub(super) fn may_be_on(&self, line: u32) -> bool {
        let end = self.origin.node.end_position().row as u32 + 1;
        self.origin.statement_line <= line && line <= end
    }
}
