//! Proposes the mutants of a class, leaves out the junk and writes the rest.

use std::collections::HashMap;

use braid_classfile::{Attribute, ClassFile, Code, Insn};

use crate::body::Body;
use crate::differs;
use crate::error::Result;
use crate::filter::{Copies, Marks, class_reason, method_reason};
use crate::fold::{Folder, Verdict};
use crate::identity::Names;
use crate::model::{LeftOut, Mutant, MutantId, Mutation, Reason, Replacement};
use crate::operator::{Edit, Proposal, Proposals, Propose, Site};
use crate::options::Options;
use crate::write::Writer;

/// The mutants of a class.
///
/// ```no_run
/// use braid_mutators::{Options, alone, mutate};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let class = std::fs::read("Account.class")?;
/// let mutation = mutate(&class, &Options::default())?;
/// for mutant in &mutation.mutants {
///     println!("{}: {}", mutant.id, mutant.description);
///     std::fs::write("mutant/Account.class", alone(&class, &mutation, mutant)?)?;
/// }
/// # Ok(()) }
/// ```
pub fn mutate(class: &[u8], options: &Options) -> Result<Mutation> {
    let class = ClassFile::parse(class)?;
    let mut run = Run {
        class: &class,
        options,
        names: Names::new(&class),
        writer: Writer::new(&class),
        source_file: source_file(&class),
        mutants: Vec::new(),
        left_out: Vec::new(),
    };
    match class_reason(&class, &options.filters) {
        Some(reason) => run.left_out.push(LeftOut {
            operator: None,
            method: String::new(),
            descriptor: String::new(),
            line: None,
            description: "all mutants of the class".to_owned(),
            reason,
        }),
        None => {
            let mut code = Code::default();
            for method in 0..class.methods().len() {
                run.method(method, &mut code)?;
            }
        }
    }
    Ok(Mutation {
        class: class.name().to_string(),
        mutants: run.mutants,
        bulk: run.writer.finish()?,
        left_out: run.left_out,
    })
}

fn source_file(class: &ClassFile<'_>) -> Option<String> {
    match class.attribute("SourceFile") {
        Ok(Some(Attribute::SourceFile(name))) => Some(name.to_string()),
        _ => None,
    }
}

/// The mutation of one class as it goes on.
struct Run<'c> {
    class: &'c ClassFile<'c>,
    options: &'c Options,
    names: Names<'c>,
    writer: Writer<'c>,
    source_file: Option<String>,
    mutants: Vec<Mutant>,
    left_out: Vec<LeftOut>,
}

impl Run<'_> {
    fn method(&mut self, method: usize, code: &mut Code) -> Result<()> {
        let Some(member) = self.class.method_at(method) else {
            return Ok(());
        };
        let (name, descriptor) = (member.name().to_string(), member.descriptor().to_string());
        let only = &self.options.only;
        if !only.has_method(&name, &descriptor) || !self.writer.read(method, code)? {
            return Ok(());
        }
        let body = Body::new(self.class, member, code);
        if let Some(reason) = method_reason(&body, member, &self.options.filters) {
            self.leave_out_method(&body, reason);
            return Ok(());
        }
        let proposals = propose(&body, self.options);
        if proposals.list.is_empty() && proposals.impossible.is_empty() {
            return Ok(());
        }
        let marks = Marks::new(&body, &self.options.filters);
        let wanted = self.sift(&body, &marks, proposals);
        let mut folder = Folder::new(&body);
        for proposal in &wanted {
            // Names count equal mutants, also those on lines that are not asked for.
            let id = self.names.name(&body, proposal);
            let verdict = match self.options.filters.equivalent {
                true => folder.compare(&id, proposal),
                false => Verdict::New,
            };
            if !only.has_line(body.line(proposal.at)) {
                continue;
            }
            match verdict {
                Verdict::New => self.write(&body, id, proposal),
                Verdict::Same(reason) => self.leave_out(&body, proposal, reason),
            }
        }
        Ok(())
    }

    /// The proposals that no filter leaves out.
    fn sift(&mut self, body: &Body<'_>, marks: &Marks, proposals: Proposals) -> Vec<Proposal> {
        let mut wanted = Vec::with_capacity(proposals.list.len());
        for proposal in proposals.list {
            let whole = matches!(proposal.edits.first(), Some(Edit::Body(_)));
            match marks.at(proposal.at).filter(|_| !whole) {
                Some(reason) => {
                    if self.options.only.has_line(body.line(proposal.at)) {
                        self.leave_out(body, &proposal, reason.clone());
                    }
                }
                None => wanted.push(proposal),
            }
        }
        for (operator, at, description, why) in proposals.impossible {
            let line = body.line(at);
            if self.options.only.has_line(line) && marks.at(at).is_none() {
                self.left_out.push(LeftOut {
                    operator: Some(operator),
                    method: body.name.clone(),
                    descriptor: body.descriptor.clone(),
                    line,
                    description,
                    reason: Reason::Impossible(why),
                });
            }
        }
        wanted
    }

    fn leave_out_method(&mut self, body: &Body<'_>, reason: Reason) {
        self.left_out.push(LeftOut {
            operator: None,
            method: body.name.clone(),
            descriptor: body.descriptor.clone(),
            line: body.real_from(0).and_then(|at| body.line(at)),
            description: "all mutants of the method".to_owned(),
            reason,
        });
    }

    fn write(&mut self, body: &Body<'_>, id: MutantId, proposal: &Proposal) {
        let code = match self.writer.write(body, proposal) {
            Ok(code) => code,
            Err(_) => {
                self.leave_out(
                    body,
                    proposal,
                    Reason::Impossible("the code cannot be written"),
                );
                return;
            }
        };
        self.mutants.push(Mutant {
            id,
            class: self.class.name().to_string(),
            method: body.name.clone(),
            descriptor: body.descriptor.clone(),
            operator: proposal.operator,
            variant: proposal.variant.clone(),
            line: body.line(proposal.at),
            insn: body.ordinals[proposal.at],
            copies: proposal
                .copies
                .iter()
                .map(|at| body.ordinals[*at])
                .collect(),
            block: body.blocks[proposal.at],
            description: proposal.description.clone(),
            source_file: self.source_file.clone(),
            checks: match body.name.starts_with('<') {
                true => Vec::new(), // constructors may stand before their objects are initialised
                false => differs::checks(body.code, &proposal.edits),
            },
            edits: match code {
                Replacement::Whole => proposal.edits.clone(),
                Replacement::Copy(_) => Vec::new(),
            },
            code,
        });
    }

    fn leave_out(&mut self, body: &Body<'_>, proposal: &Proposal, reason: Reason) {
        self.left_out.push(LeftOut {
            operator: Some(proposal.operator),
            method: body.name.clone(),
            descriptor: body.descriptor.clone(),
            line: body.line(proposal.at),
            description: proposal.description.clone(),
            reason,
        });
    }
}

/// What the chosen operators propose for a method, in the order of the places.
fn propose(body: &Body<'_>, options: &Options) -> Proposals {
    let mut proposals = Proposals::default();
    for operator in options.operators.iter() {
        proposals.operator = operator.id;
        match operator.propose {
            Propose::Method(propose) => propose(body, &mut proposals),
            Propose::Insn(propose) => {
                for (at, &insn) in body.code.insns.iter().enumerate() {
                    if !matches!(insn, Insn::Label(_)) {
                        propose(&Site { body, at, insn }, &mut proposals);
                    }
                }
            }
        }
    }
    merge_copies(body, &mut proposals.list);
    proposals.list.sort_by_key(|proposal| proposal.at);
    proposals
}

/// Makes one proposal of those for the copies of a `finally` block.
fn merge_copies(body: &Body<'_>, list: &mut Vec<Proposal>) {
    let copies = Copies::new(body);
    if copies.is_empty() {
        return;
    }
    let mut merged: HashMap<(usize, &'static str, String), usize> = HashMap::new();
    let mut kept: Vec<Proposal> = Vec::with_capacity(list.len());
    for proposal in list.drain(..) {
        let first = copies.first(proposal.at);
        let key = (first, proposal.operator, proposal.variant.clone());
        match merged.get(&key) {
            Some(index) if first != proposal.at => {
                kept[*index].copies.push(proposal.at);
                kept[*index].edits.extend(proposal.edits);
            }
            _ => {
                merged.insert(key, kept.len());
                kept.push(proposal);
            }
        }
    }
    *list = kept;
}
