//! Formulas and conditions as text that a person can read and [`Formula::parse`] can read back.

use crate::Manager;
use crate::cover::{Dnf, Product};
use crate::error::OutOfNodes;
use crate::formula::Formula;
use crate::handle::{Cond, Opt};
use crate::lex::quote;
use crate::names::Names;

/// Products printed by [`Manager::show`] before it gives up with "… and n more".
const SHOWN: usize = 1000;

/// Nodes up to which a condition is brought into a short form, and what is printed of larger ones.
const LARGE: usize = 2000;
const SHOWN_OF_LARGE: usize = 32;

/// Products, and options of a context, up to which [`Manager::show_in`] looks for positive words.
const TRIED: usize = 64;

/// A condition as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The formula.
    pub text: String,
    /// The options it names, and those it would name if it were shown in full.
    pub options: Vec<Opt>,
}

/// How tightly an operator binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Iff,
    Implies,
    Or,
    Xor,
    And,
    Not,
    Atom,
}

impl Formula {
    /// The formula as text, with as few parentheses as its operators need.
    pub fn show(&self, names: &Names) -> String {
        let mut text = String::new();
        self.write(names, Binding::Iff, &mut text);
        text
    }

    fn binding(&self) -> Binding {
        match self {
            Formula::Iff(..) => Binding::Iff,
            Formula::Implies(..) => Binding::Implies,
            Formula::Xor(..) => Binding::Xor,
            Formula::And(of) | Formula::Or(of) if of.is_empty() => Binding::Atom,
            Formula::And(of) | Formula::Or(of) if of.len() == 1 => of[0].binding(),
            Formula::Or(_) => Binding::Or,
            Formula::And(_) => Binding::And,
            Formula::Not(_) => Binding::Not,
            _ => Binding::Atom,
        }
    }

    /// Writes the formula, in parentheses if it binds looser than `context` asks for.
    fn write(&self, names: &Names, context: Binding, text: &mut String) {
        let parenthesised = self.binding() < context;
        if parenthesised {
            text.push('(');
        }
        match self {
            Formula::True => text.push_str("true"),
            Formula::False => text.push_str("false"),
            Formula::Opt(opt) => text.push_str(&show_name(*opt, names)),
            Formula::Not(a) => {
                text.push('!');
                a.write(names, Binding::Not, text);
            }
            Formula::And(of) if of.is_empty() => text.push_str("true"),
            Formula::Or(of) if of.is_empty() => text.push_str("false"),
            Formula::And(of) => write_list(of, " & ", names, Binding::Not, text),
            Formula::Or(of) => write_list(of, " | ", names, Binding::Xor, text),
            Formula::Xor(a, b) => write_two(a, " ^ ", b, names, Binding::And, text),
            Formula::Implies(a, b) => write_two(a, " => ", b, names, Binding::Or, text),
            Formula::Iff(a, b) => write_two(a, " <=> ", b, names, Binding::Implies, text),
            Formula::Ite(c, a, b) => {
                text.push_str("ite(");
                c.write(names, Binding::Iff, text);
                for part in [a, b] {
                    text.push_str(", ");
                    part.write(names, Binding::Iff, text);
                }
                text.push(')');
            }
            Formula::Count { min, max, of } => write_count(*min, *max, of, names, text),
        }
        if parenthesised {
            text.push(')');
        }
    }
}

fn show_name(opt: Opt, names: &Names) -> String {
    names
        .name(opt)
        .map_or_else(|| format!("option{}", opt.index()), quote)
}

fn write_list(of: &[Formula], sign: &str, names: &Names, binding: Binding, text: &mut String) {
    for (index, part) in of.iter().enumerate() {
        if index > 0 {
            text.push_str(sign);
        }
        // A list of one is its element, whose own binding decided on the parentheses.
        let binding = if of.len() == 1 { Binding::Iff } else { binding };
        part.write(names, binding, text);
    }
}

fn write_two(
    a: &Formula,
    sign: &str,
    b: &Formula,
    names: &Names,
    binding: Binding,
    text: &mut String,
) {
    a.write(names, binding, text);
    text.push_str(sign);
    b.write(names, binding, text);
}

/// Writes a count with the words there are: a range is the conjunction of two bounds.
fn write_count(min: usize, max: usize, of: &[Formula], names: &Names, text: &mut String) {
    if of.is_empty() {
        text.push_str(if min == 0 { "true" } else { "false" });
        return;
    }
    let bound = |word: &str, n: usize, text: &mut String| {
        text.push_str(&format!("{word}({n}: "));
        write_list(of, ", ", names, Binding::Iff, text);
        text.push(')');
    };
    if min == max {
        bound("exactly", min, text);
    } else if max >= of.len() {
        bound("atleast", min, text);
    } else if min == 0 {
        bound("atmost", max, text);
    } else {
        text.push('(');
        bound("atleast", min, text);
        text.push_str(" & ");
        bound("atmost", max, text);
        text.push(')');
    }
}

impl Manager {
    /// The condition as a short formula: an irredundant sum of products, or the negation of one if that is
    /// shorter. A condition with more than a thousand products ends in "… and n more"; of one whose diagram has
    /// thousands of nodes only the shortest [paths](Manager::shortest_paths) are shown.
    ///
    /// ```
    /// # use braid_cond::Manager;
    /// let mut m = Manager::new();
    /// let cond = m.parse("a & b | a & !b & c | a & !c").unwrap();
    /// assert_eq!(m.show(cond).unwrap(), "a");
    /// ```
    pub fn show(&mut self, cond: Cond) -> Result<String, OutOfNodes> {
        self.show_in(cond, Cond::TRUE)
    }

    /// The same, assuming `context`: short text that is right within it, whatever it says elsewhere. With the
    /// feature model or degree bound of a run as context, conditions read as a person would say them.
    pub fn show_in(&mut self, cond: Cond, context: Cond) -> Result<String, OutOfNodes> {
        Ok(self.describe_in(cond, context)?.text)
    }

    /// The same, with the options that the text is about.
    pub fn describe_in(&mut self, cond: Cond, context: Cond) -> Result<Shown, OutOfNodes> {
        if self.size(cond) > LARGE {
            let paths = self.shortest_paths(cond, SHOWN_OF_LARGE);
            let text = self.show_dnf(&paths);
            return self.shown(text, &paths, cond, context);
        }
        let mut plain = self.dnf_in(cond, context, SHOWN)?;
        self.make_positive(&mut plain, context)?;
        if plain.products.len() > 2 {
            let contrary = self.not(cond)?;
            let negated = self.dnf_in(contrary, context, SHOWN)?;
            let shorter =
                negated.more == 0 && (plain.more > 0 || negated.literals() + 1 < plain.literals());
            if shorter {
                let text = match (negated.literals(), self.show_dnf(&negated)) {
                    (1, text) => format!("!{text}"),
                    (_, text) => format!("!({text})"),
                };
                return self.shown(text, &negated, cond, context);
            }
        }
        let text = self.show_dnf(&plain);
        self.shown(text, &plain, cond, context)
    }

    /// A text and its options: those of the products, or all that matter if not all products are in the text.
    fn shown(
        &mut self,
        text: String,
        dnf: &Dnf,
        cond: Cond,
        context: Cond,
    ) -> Result<Shown, OutOfNodes> {
        let mut options = if dnf.more > 0 {
            let simple = self.simplify(cond, context)?;
            self.support(simple)
        } else {
            let literals = dnf.products.iter().flatten();
            literals.map(|&(opt, _)| opt).collect()
        };
        options.sort_unstable();
        options.dedup();
        Ok(Shown { text, options })
    }

    /// Replaces "not this option" by "that option" where the context says that it comes to the same, as it does
    /// between alternatives. Left alone if there is much to try.
    fn make_positive(&mut self, dnf: &mut Dnf, context: Cond) -> Result<(), OutOfNodes> {
        let candidates = self.support(context);
        if candidates.len() > TRIED || dnf.products.len() > TRIED {
            return Ok(());
        }
        for product in &mut dnf.products {
            let meant = self.product_in(product, context)?;
            for place in 0..product.len() {
                let (old, on) = product[place];
                if on {
                    continue;
                }
                for &new in &candidates {
                    product[place] = (new, true);
                    if self.product_in(product, context)? == meant {
                        break;
                    }
                    product[place] = (old, false);
                }
            }
            product.sort_unstable();
            product.dedup();
        }
        Ok(())
    }

    fn product_in(&mut self, product: &Product, context: Cond) -> Result<Cond, OutOfNodes> {
        product.iter().try_fold(context, |cond, &(opt, on)| {
            let literal = if on { self.on(opt) } else { self.off(opt) };
            self.and(cond, literal)
        })
    }

    /// A sum of products as text.
    pub fn show_dnf(&self, dnf: &Dnf) -> String {
        if dnf.products.is_empty() && dnf.more == 0 {
            return "false".to_owned();
        }
        let products: Vec<String> = dnf
            .products
            .iter()
            .map(|product| self.show_product(product))
            .collect();
        let mut text = products.join(" | ");
        if dnf.more > 0 {
            text += &format!(" | … and {} more", dnf.more);
        }
        text
    }

    fn show_product(&self, product: &Product) -> String {
        if product.is_empty() {
            return "true".to_owned();
        }
        let literals: Vec<String> = product
            .iter()
            .map(|&(opt, on)| format!("{}{}", if on { "" } else { "!" }, quote(self.name(opt))))
            .collect();
        literals.join(" & ")
    }
}
