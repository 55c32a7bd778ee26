//! Where mutants are in the Java source, and which ones its comments suppress.
//!
//! The source is walked over in the order in which javac emits instructions, so that a method
//! gives two lists that are nearly equal: what its source does and what its bytecode does.
//! Matching them tells the expression of every instruction, also where several stand on a line.

mod align;
mod code;
mod event;
mod literal;
mod rewrite;
mod suppress;
mod unit;
mod walk;

use std::collections::HashMap;

use braid_classfile::{ClassFile, Code, Editor};
use tree_sitter::{Node, Parser, Tree};

use crate::body::Body;
use crate::filter::{Copies, Marks};
use crate::model::Mutant;
use crate::options::Filters;
use event::Origin;
use unit::{MethodSource, TypeBody, line_range};
use walk::Walker;

pub use suppress::{Suppression, suppressions};

/// A parsed source file.
pub struct Source {
    text: String,
    tree: Option<Tree>,
    /// Offsets of the lines.
    lines: Vec<usize>,
}

/// A place in a source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Offset in bytes.
    pub byte: usize,
    /// Counted from 1.
    pub line: u32,
    /// In characters (UTF-16 units, as editors and reports count), from 1.
    pub column: u32,
}

/// A mutated expression or statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Where it starts.
    pub start: Position,
    /// Just behind it.
    pub end: Position,
    /// Its text.
    pub original: String,
    /// The text that the mutant has instead, where Java can say it.
    pub replacement: Option<String>,
    /// The replacement means exactly what the mutant does. False where the text drops a call or
    /// assignment that the mutant, which only drops the value, still carries out.
    pub exact: bool,
}

impl Source {
    /// Reads a source file; what is not well-formed has no places.
    pub fn parse(text: &str) -> Source {
        let mut parser = Parser::new();
        let language = tree_sitter_java_orchard::LANGUAGE.into();
        let tree = match parser.set_language(&language) {
            Ok(()) => parser.parse(text, None),
            Err(_) => None,
        };
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Source {
            text: text.to_owned(),
            tree,
            lines: std::iter::once(0).chain(starts).collect(),
        }
    }

    /// Where each mutant of a class is; none if the place is not sure. `class` are the bytes of
    /// the original class, which javac has made of this source (sources of other languages have
    /// no places).
    pub fn locate(&self, class: &[u8], mutants: &[Mutant]) -> Vec<Option<Place>> {
        let mut places = vec![None; mutants.len()];
        let (Some(tree), Ok(class)) = (&self.tree, ClassFile::parse(class)) else {
            return places;
        };
        let mut by_method: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (index, mutant) in mutants.iter().enumerate() {
            let key = (mutant.method.as_str(), mutant.descriptor.as_str());
            by_method.entry(key).or_default().push(index);
        }
        let mut editor = Editor::new(&class);
        let mut code = Code::default();
        for (position, method) in class.methods().enumerate() {
            let (name, descriptor) = (method.name().to_string(), method.descriptor().to_string());
            let Some(wanted) = by_method.get(&(name.as_str(), descriptor.as_str())) else {
                continue;
            };
            if !matches!(editor.read_code(position, &mut code), Ok(true)) {
                continue;
            }
            let body = Body::new(&class, method, &code);
            let name = class.name().to_string();
            let ty = TypeBody::find(tree.root_node(), &self.text, &name, line_range(&body));
            if let Some(found) = ty.and_then(|ty| self.best(ty, &body)) {
                for index in wanted {
                    places[*index] = found.place(self, &body, &mutants[*index]);
                }
            }
        }
        places
    }

    /// The source that fits a method best: of several lambdas on a line, the one with the most
    /// matches.
    fn best<'t>(&'t self, ty: TypeBody<'t>, body: &Body<'_>) -> Option<Found<'t>> {
        let marks = Marks::new(body, &Filters::default());
        let events = code::events(body, &marks, &Copies::new(body));
        let candidates = ty.methods(&self.text, body).into_iter().map(|source| {
            let mut walker = Walker::new(&self.text);
            source.walk(&mut walker);
            let matched = align::align(&events, &walker.events);
            let score = matched.iter().flatten().count() * 2;
            // Of two that fit equally, the one with less that does not.
            let score = (score as i64) - walker.events.len() as i64;
            (score, source, walker.events, matched)
        });
        let (_, source, walked, matched) =
            candidates.reduce(|best, other| if other.0 > best.0 { other } else { best })?;
        let pairs = events.iter().zip(&matched);
        let places = pairs.filter_map(|(event, found)| {
            let origin = walked.get((*found)?)?.origin;
            Some((event.at, origin))
        });
        let places = places.collect();
        Some(Found { source, places })
    }

    fn position(&self, byte: usize) -> Position {
        let line = self.lines.partition_point(|start| *start <= byte).max(1) - 1;
        let before = self.text.get(self.lines[line]..byte).unwrap_or("");
        Position {
            byte,
            line: line as u32 + 1,
            column: before.encode_utf16().count() as u32 + 1,
        }
    }

    fn node_text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }
}

/// The source of a method and what its instructions stand for.
struct Found<'t> {
    source: MethodSource<'t>,
    /// By position in the code.
    places: HashMap<usize, Origin<'t>>,
}

impl Found<'_> {
    fn place(&self, source: &Source, body: &Body<'_>, mutant: &Mutant) -> Option<Place> {
        let at = body
            .ordinals
            .partition_point(|ordinal| *ordinal <= mutant.insn)
            - 1;
        let rewrite = match mutant.operator {
            "method-body" => rewrite::body(self.source.body()?, mutant),
            _ => {
                let origin = self.places.get(&at)?;
                rewrite::Context {
                    source,
                    body,
                    at,
                    mutant,
                    origin,
                }
                .rewrite()?
            }
        };
        let range = rewrite.range;
        Some(Place {
            start: source.position(range.start),
            end: source.position(range.end),
            original: source.text.get(range)?.to_owned(),
            replacement: rewrite.text,
            exact: rewrite.exact,
        })
    }
}
