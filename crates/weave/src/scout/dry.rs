//! What code does if it is run dry: whether it changes anything but what it makes itself.
//!
//! A value is *made* if it is surely an object that this very call, or this very evaluation, has made: such may be written
//! to, as nobody else has seen it. Everything else stays as it is. Code from which every way ends with a throw may do
//! anything, because what is thrown spoils all that the test would say.

use std::collections::BTreeSet;
use std::ops::Range;

use braid_classfile::{
    Attribute, ClassFile, FieldType, Instruction, Member, MethodDescriptor, Op, Operand, tag,
};

use super::jdk::Call;
use super::program::{Id, Program};
use crate::rounds::body::Body;
use crate::rounds::changing::shuffled;

/// What a method does when it is called dry.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// It may change something before it throws.
    pub(super) spoils: bool,
    /// It has code that throws.
    pub(super) throws: bool,
    /// The methods of the program that it calls.
    pub(super) calls: BTreeSet<Id>,
}

/// Whose code it is.
pub(super) struct Rules<'r, 'c> {
    pub(super) program: &'r Program<'c>,
    /// The class that has it.
    pub(super) user: &'r str,
    /// The class that is being initialised: what is read must then be known.
    pub(super) initialising: Option<&'r str>,
    /// The bootstrap methods of the class that put strings together.
    pub(super) concatenations: &'r BTreeSet<u16>,
    /// It is the initialiser itself.
    pub(super) initialiser: bool,
}

/// What is on the operand stack and in the local variables: whether it was made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) locals: Vec<bool>,
    pub(super) stack: Vec<bool>,
}

/// Which instructions run, and what they need.
pub(super) struct Look {
    /// By instruction of the range: what it begins with, if it can run and need not end with a throw.
    pub(super) states: Vec<Option<State>>,
    /// The least depth that the operand stack ever has.
    pub(super) lowest: usize,
    pub(super) summary: Summary,
}

/// The bootstrap methods of a class that make code which puts strings together.
pub(super) fn concatenations(class: &ClassFile<'_>) -> Option<BTreeSet<u16>> {
    let Some(Attribute::BootstrapMethods(list)) = class.attribute("BootstrapMethods").ok()? else {
        return Some(BTreeSet::new());
    };
    let pool = class.pool();
    let is_one = |handle: u16| {
        let handle = pool.method_handle(handle);
        handle.is_ok_and(|handle| handle.member.owner == "java/lang/invoke/StringConcatFactory")
    };
    let all = (0..).zip(list.iter());
    let found = all.filter(|(_, method)| is_one(method.handle));
    Some(found.map(|(number, _)| number).collect())
}

/// Looks at a whole method.
pub(super) fn method(rules: &Rules<'_, '_>, method: Member<'_>) -> Option<Summary> {
    let code = method.code().ok()??;
    if code.exceptions.iter().next().is_some() {
        return None;
    }
    let body = Body::of(code, 0)?;
    let mut locals = vec![false; usize::from(body.code.max_locals)];
    if method.name() == "<init>" {
        *locals.first_mut()? = true;
    }
    let stack = Vec::new();
    let whole = 0..body.insns.len();
    let look = range(rules, &body, whole, State { locals, stack }, true)?;
    Some(look.summary)
}

/// Looks at a range of instructions that begins with this state. Code that surely throws is looked at if `on_throw`.
pub(super) fn range(
    rules: &Rules<'_, '_>,
    body: &Body<'_>,
    range: Range<usize>,
    start: State,
    on_throw: bool,
) -> Option<Look> {
    let mut walk = Walk {
        rules,
        body,
        going_on: going_on(body, &range),
        look: Look {
            states: vec![None; range.len()],
            lowest: start.stack.len(),
            summary: Summary::default(),
        },
        range,
    };
    if !walk.range.is_empty() {
        walk.run(start, on_throw)?;
    }
    Some(walk.look)
}

/// The instructions of a range from which some way leads out of it other than by a throw.
fn going_on(body: &Body<'_>, range: &Range<usize>) -> Vec<bool> {
    let mut going_on = vec![false; range.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for at in range.clone().rev() {
            let next = &body.next[at][..body.straight[at]];
            let out = |to: &usize| !range.contains(to) || going_on[*to - range.start];
            let on = body.insns[at].op.is_return() || next.iter().any(out);
            changed |= on && !going_on[at - range.start];
            going_on[at - range.start] |= on;
        }
    }
    going_on
}

struct Walk<'w, 'r, 'c, 'b> {
    rules: &'w Rules<'r, 'c>,
    body: &'w Body<'b>,
    range: Range<usize>,
    going_on: Vec<bool>,
    look: Look,
}

impl Walk<'_, '_, '_, '_> {
    fn run(&mut self, start: State, on_throw: bool) -> Option<()> {
        let first = self.range.start;
        let mut doomed = vec![false; self.range.len()];
        let mut open = Vec::new();
        if self.going_on[0] || on_throw {
            self.look.states[0] = Some(start);
            open.push(first);
        }
        while let Some(at) = open.pop() {
            let place = at - first;
            let mut state = self.look.states[place].clone()?;
            let throws = !self.going_on[place];
            doomed[place] = throws;
            self.look.summary.throws |= throws;
            match self.step(&mut state, &self.body.insns[at]) {
                Some(()) => {}
                None if throws => {
                    self.look.summary.spoils = true;
                    continue;
                }
                None => return None,
            }
            for to in &self.body.next[at][..self.body.straight[at]] {
                let inside = self.range.contains(to);
                if !inside || !on_throw && !self.going_on[*to - first] {
                    continue;
                }
                if merge(&mut self.look.states[*to - first], &state)? {
                    open.push(*to);
                }
            }
        }
        Some(())
    }

    /// Takes the topmost slots; the last one was on top.
    fn pop(&mut self, state: &mut State, slots: usize) -> Option<Vec<bool>> {
        let rest = state.stack.len().checked_sub(slots)?;
        self.look.lowest = self.look.lowest.min(rest);
        Some(state.stack.split_off(rest))
    }

    fn step(&mut self, state: &mut State, insn: &Instruction<'_>) -> Option<()> {
        let op = insn.op.general();
        let pool = self.body.code.pool();
        if let Some((taken, order)) = shuffled(op) {
            let slots = self.pop(state, taken)?;
            state.stack.extend(order.iter().map(|from| slots[*from]));
            return Some(());
        }
        match insn.operand {
            Operand::Local(local) => self.local(state, op, usize::from(local)),
            Operand::Const(index) => {
                let wide = match pool.tag(index) {
                    tag::INTEGER | tag::FLOAT | tag::STRING | tag::CLASS => 1,
                    tag::LONG | tag::DOUBLE => 2,
                    _ => return None,
                };
                push(state, wide, false);
                Some(())
            }
            Operand::Field(index) => self.field(state, op, index),
            Operand::Method(index) | Operand::InterfaceMethod(index, _) => {
                self.invoke(state, op, index)
            }
            Operand::Dynamic(index) => self.concatenation(state, index),
            Operand::Class(index) => {
                let name = pool.class(index).ok()?.to_string();
                match op {
                    Op::New => {
                        self.initialise(&name)?;
                        push(state, 1, true);
                    }
                    Op::Anewarray => {
                        self.pop(state, 1)?;
                        push(state, 1, true);
                    }
                    Op::Instanceof => {
                        self.pop(state, 1)?;
                        push(state, 1, false);
                    }
                    _ => {
                        // a cast leaves what it is about
                        let slots = self.pop(state, 1)?;
                        state.stack.extend(slots);
                    }
                }
                Some(())
            }
            Operand::NewArray(_) => {
                self.pop(state, 1)?;
                push(state, 1, true);
                Some(())
            }
            Operand::MultiNewArray(_, dimensions) => {
                self.pop(state, usize::from(dimensions))?;
                push(state, 1, true);
                Some(())
            }
            _ => self.plain(state, op),
        }
    }

    fn local(&mut self, state: &mut State, op: Op, local: usize) -> Option<()> {
        let slots = match op {
            Op::Lload | Op::Dload | Op::Lstore | Op::Dstore => 2,
            _ => 1,
        };
        if op.is_load() {
            let made = *state.locals.get(local)?;
            push(state, slots, made && slots == 1);
            return Some(());
        }
        if !op.is_store() {
            return None;
        }
        let values = self.pop(state, slots)?;
        let place = state.locals.get_mut(local..local + slots)?;
        place.copy_from_slice(&values);
        Some(())
    }

    fn plain(&mut self, state: &mut State, op: Op) -> Option<()> {
        match op {
            Op::Monitorenter | Op::Monitorexit | Op::Jsr | Op::JsrW | Op::Ret => return None,
            Op::Iaload
            | Op::Laload
            | Op::Faload
            | Op::Daload
            | Op::Aaload
            | Op::Baload
            | Op::Caload
            | Op::Saload => {
                let operands = self.pop(state, 2)?;
                if self.rules.initialising.is_some() && !operands[0] {
                    return None;
                }
                let slots = if matches!(op, Op::Laload | Op::Daload) {
                    2
                } else {
                    1
                };
                push(state, slots, false);
                return Some(());
            }
            Op::Iastore
            | Op::Lastore
            | Op::Fastore
            | Op::Dastore
            | Op::Aastore
            | Op::Bastore
            | Op::Castore
            | Op::Sastore => {
                let slots = if matches!(op, Op::Lastore | Op::Dastore) {
                    4
                } else {
                    3
                };
                return self.pop(state, slots)?[0].then_some(());
            }
            _ => {}
        }
        self.pop(state, usize::from(op.pop_slots()?))?;
        push(state, usize::from(op.push_slots()?), false);
        Some(())
    }

    fn field(&mut self, state: &mut State, op: Op, index: u16) -> Option<()> {
        let member = self.body.code.pool().field(index).ok()?;
        let (owner, name) = (member.owner.to_string(), member.name.to_string());
        let descriptor = member.descriptor.to_string();
        let slots = usize::from(FieldType::parse(member.descriptor).ok()?.slots());
        let program = self.rules.program;
        if !program.has(&owner) {
            let known = [
                "java/lang/Boolean",
                "java/lang/Integer",
                "java/lang/Long",
                "java/lang/Double",
            ];
            let fixed = op == Op::Getstatic && known.contains(&owner.as_str());
            push(state, slots, false);
            return fixed.then_some(());
        }
        let (declaring, access, constant) = program.field(&owner, &name, &descriptor)?;
        let volatile = access.0 & 0x40 != 0;
        match op {
            Op::Getfield => {
                let made = self.pop(state, 1)?[0];
                if volatile || access.is_static() || self.rules.initialising.is_some() && !made {
                    return None;
                }
                push(state, slots, false);
            }
            Op::Putfield => {
                let operands = self.pop(state, slots + 1)?;
                if access.is_static() || !operands[0] {
                    return None;
                }
            }
            Op::Getstatic => {
                if volatile || !access.is_static() {
                    return None;
                }
                self.initialised(&declaring)?;
                if let Some(initialising) = self.rules.initialising {
                    let own = initialising == declaring;
                    let value = descriptor.len() == 1 || descriptor == "Ljava/lang/String;";
                    if !(own || constant || access.is_final() && value) {
                        return None;
                    }
                }
                push(state, slots, false);
            }
            _ => {
                self.pop(state, slots)?;
                let own = self.rules.initialiser && self.rules.initialising == Some(&declaring);
                return own.then_some(());
            }
        }
        Some(())
    }

    /// Strings and numbers that are put together as one string.
    fn concatenation(&mut self, state: &mut State, index: u16) -> Option<()> {
        let site = self.body.code.pool().dynamic(index).ok()?;
        let known = self.rules.concatenations.contains(&site.bootstrap);
        let descriptor = MethodDescriptor::parse(site.descriptor).ok()?;
        let text = |ty: FieldType<'_>| match ty {
            FieldType::Object(name) => name == "java/lang/String",
            FieldType::Array(_) => false,
            _ => true,
        };
        if !known || !descriptor.parameters().all(text) {
            return None;
        }
        self.pop(state, usize::from(descriptor.parameter_slots()))?;
        push(state, 1, false);
        Some(())
    }

    /// Looks at what making an object of a class initialises.
    fn initialise(&mut self, name: &str) -> Option<()> {
        if !self.rules.program.has(name) {
            return name.starts_with("java/lang/").then_some(());
        }
        self.rules.program.has_no_finalizer(name)?;
        self.initialised(name)
    }

    /// Looks at what the first use of a class of the program initialises.
    fn initialised(&mut self, name: &str) -> Option<()> {
        let calls = self
            .rules
            .program
            .initialises_quietly(name, self.rules.user)?;
        self.look.summary.calls.extend(calls.iter().cloned());
        Some(())
    }

    fn invoke(&mut self, state: &mut State, op: Op, index: u16) -> Option<()> {
        let member = self.body.code.pool().method(index).ok()?;
        let (owner, name) = (member.owner.to_string(), member.name.to_string());
        let text = member.descriptor.to_string();
        let descriptor = MethodDescriptor::parse(member.descriptor).ok()?;
        let arguments = self.pop(state, usize::from(descriptor.parameter_slots()))?;
        let made = match op {
            Op::Invokestatic => false,
            _ => self.pop(state, 1)?[0],
        };
        let call = Call {
            owner: &owner,
            name: &name,
            descriptor: &text,
            made,
            arguments: &arguments,
            strict: self.rules.initialising.is_some(),
        };
        let result = self.call(op, &call)?;
        if let Some(value) = descriptor.return_type() {
            push(state, usize::from(value.slots()), result);
        }
        Some(())
    }

    /// Whether what comes back was made by the call.
    fn call(&mut self, op: Op, call: &Call<'_>) -> Option<bool> {
        if call.owner.starts_with('[') {
            let clone = call.name == "clone" && (call.made || !call.strict);
            return clone.then_some(true);
        }
        let program = self.rules.program;
        if !program.has(call.owner) {
            // an interface or class that others extend is none of those that are known
            return match call.owner.starts_with("java/") {
                true => call.result(),
                false => None,
            };
        }
        if program.is_open() {
            return None;
        }
        let (name, descriptor) = (call.name, call.descriptor);
        let (declared, access) = match program.method(call.owner, name, descriptor)? {
            Ok(found) => found,
            Err(top) => {
                let inherited = ["java/lang/Object", "java/lang/Enum"].contains(&top.as_str());
                let call = Call {
                    owner: &top,
                    ..*call
                };
                return (inherited && name != "<init>").then(|| call.result())?;
            }
        };
        let targets = match op {
            Op::Invokestatic => {
                if !access.is_static() {
                    return None;
                }
                self.initialised(&declared.class)?;
                vec![declared]
            }
            Op::Invokespecial if name == "<init>" => {
                if !call.made || declared.class != call.owner {
                    return None;
                }
                vec![declared]
            }
            Op::Invokespecial => vec![self.special(call, declared)?],
            _ if access.is_private() || access.is_final() && !access.is_static() => vec![declared],
            _ if access.is_static() => return None,
            _ => program.targets(call.owner, name, descriptor)?,
        };
        for target in targets {
            let summary = program.summary(&target, self.rules.initialising)?;
            self.look.summary.spoils |= summary.spoils;
            self.look.summary.throws |= summary.throws;
            self.look.summary.calls.insert(target);
        }
        Some(false)
    }

    /// What `invokespecial` calls that is no constructor: a private method, or that of a superclass.
    fn special(&self, call: &Call<'_>, declared: Id) -> Option<Id> {
        if call.owner == self.rules.user {
            return (declared.class == call.owner).then_some(declared);
        }
        let program = self.rules.program;
        let (chain, _) = program.chain(self.rules.user)?;
        let parent = chain.get(1)?;
        if !chain.iter().any(|class| class == call.owner) {
            return None;
        }
        let (chosen, _) = program.method(parent, call.name, call.descriptor)?.ok()?;
        Some(chosen)
    }
}

fn push(state: &mut State, slots: usize, made: bool) {
    state.stack.extend(std::iter::repeat_n(made, slots));
}

/// Adds what can come from elsewhere; whether that is new.
fn merge(known: &mut Option<State>, more: &State) -> Option<bool> {
    let Some(known) = known else {
        *known = Some(more.clone());
        return Some(true);
    };
    if known.stack.len() != more.stack.len() || known.locals.len() != more.locals.len() {
        return None;
    }
    let mut changed = false;
    let slots = known.locals.iter_mut().chain(&mut known.stack);
    for (mine, theirs) in slots.zip(more.locals.iter().chain(&more.stack)) {
        changed |= *mine && !theirs;
        *mine &= *theirs;
    }
    Some(changed)
}
