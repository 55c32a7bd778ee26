//! One method by abstract interpretation: flow-sensitive for locals and stack, one set for everything stored.
//!
//! Works on blocks until nothing changes. Effects only grow, so they are collected along the way; what was stored only
//! grows too, and the method is gone through again as long as it does. A first effect on something that no parameter
//! leads to ends the work: nothing more can be said of such a method.

use braid_classfile::{
    Attribute, ClassFile, Constant, FieldType, Instruction, JStr, MemberRef, MethodDescriptor, Op,
    Operand, Result,
};

use super::summary::{Cause, Summary};
use super::targets::Nodes;
use super::value::{ELEMENT, Value, bucket, is_immutable};
use crate::{Cfg, ClassId, MethodId, World};

/// What a simulation asks about others.
pub(super) struct Context<'w> {
    pub world: &'w World,
    pub nodes: &'w Nodes,
    /// By node.
    pub summaries: &'w [Summary],
}

#[derive(Clone, PartialEq)]
struct State {
    locals: Vec<Value>,
    stack: Vec<Value>,
}

impl State {
    /// Whether joining `other` changed it; stacks of different depth cannot be in a verified class.
    fn join(&mut self, other: &State) -> bool {
        let mut changed = false;
        let mine = self.locals.iter_mut().chain(&mut self.stack);
        for (a, b) in mine.zip(other.locals.iter().chain(&other.stack)) {
            let joined = a.join(*b);
            changed |= joined != *a;
            *a = joined;
        }
        changed
    }
}

/// Ends a simulation: the method is not pure at all.
struct Global(Cause);

impl From<braid_classfile::Error> for Global {
    fn from(_: braid_classfile::Error) -> Global {
        Global(Cause::Unreadable)
    }
}

type Step = std::result::Result<(), Global>;

pub(super) struct Simulation<'w> {
    context: &'w Context<'w>,
    file: &'w ClassFile<'w>,
    method: MethodId,
    class: ClassId,
    is_initialiser: bool,
    summary: Summary,
}

impl<'w> Simulation<'w> {
    /// A method's summary under the present summaries of the others.
    pub(super) fn run(context: &'w Context<'w>, method: MethodId) -> Summary {
        let world = context.world;
        let class = world.declarer(method);
        let file = world.file(class);
        let mut simulation = Simulation {
            context,
            file: &file,
            method,
            class,
            is_initialiser: false,
            summary: Summary::default(),
        };
        match simulation.method() {
            Ok(()) => simulation.summary,
            Err(Global(cause)) => Summary::global(cause),
        }
    }

    fn method(&mut self) -> Step {
        let world = self.context.world;
        let file = self.file;
        let member = file
            .method_at(world.index(self.method))
            .ok_or(Global(Cause::Unreadable))?;
        self.is_initialiser = member.name() == "<clinit>";
        self.summary.locks = member.access().is_synchronized();
        let Some(code) = member.code()? else {
            return Err(Global(Cause::Nothing));
        };
        let cfg = Cfg::new(code)?;
        let receiver = (!member.access().is_static()).then(|| file.name());
        let entry = entry(member.descriptor(), receiver, code.max_locals)?;
        loop {
            let before = self.summary.stored;
            self.blocks(&cfg, entry.clone())?;
            if self.summary.stored == before {
                return Ok(());
            }
        }
    }

    fn blocks(&mut self, cfg: &Cfg<'_>, entry: State) -> Step {
        let mut states: Vec<Option<State>> = vec![None; cfg.blocks.len()];
        states[0] = Some(entry);
        let mut work = vec![0u32];
        while let Some(block) = work.pop() {
            let Some(mut state) = states[block as usize].clone() else {
                continue;
            };
            let handlers = cfg.exceptional.successors(block);
            let mut caught = (!handlers.is_empty()).then(|| state.locals.clone());
            for instruction in cfg.instructions_of(block) {
                self.step(instruction, &mut state)?;
                if let (Some(caught), true) = (&mut caught, instruction.op.is_store()) {
                    join_all(caught, &state.locals);
                }
            }
            let mut flow = |to: u32, state: &State| match &mut states[to as usize] {
                Some(known) => {
                    if known.join(state) && !work.contains(&to) {
                        work.push(to);
                    }
                }
                unknown => {
                    *unknown = Some(state.clone());
                    work.push(to);
                }
            };
            for &next in cfg.normal.successors(block) {
                flow(next, &state);
            }
            if let Some(locals) = caught {
                let stack = vec![Value::UNKNOWN];
                let thrown = State { locals, stack };
                handlers.iter().for_each(|&handler| flow(handler, &thrown));
            }
        }
        Ok(())
    }

    fn step(&mut self, instruction: &Instruction<'_>, state: &mut State) -> Step {
        let pool = self.file.pool();
        let op = instruction.op.general();
        let pc = instruction.pc;
        match (op, instruction.operand) {
            (Op::Aload, Operand::Local(local)) => {
                let value = state.locals.get(usize::from(local)).copied();
                state.stack.push(value.unwrap_or(Value::UNKNOWN));
            }
            (Op::Astore, Operand::Local(local)) => {
                let value = pop(state)?;
                if let Some(slot) = state.locals.get_mut(usize::from(local)) {
                    *slot = value;
                }
            }
            (Op::Aaload, _) => {
                pop(state)?;
                let array = pop(state)?;
                state.stack.push(self.summary.stored.load(array, ELEMENT));
            }
            (Op::Aastore, _) => {
                let value = pop(state)?;
                pop(state)?;
                let array = pop(state)?;
                self.summary.stored.add(ELEMENT, value);
                self.write(array, Cause::Write(pc))?;
            }
            (
                Op::Iastore
                | Op::Lastore
                | Op::Fastore
                | Op::Dastore
                | Op::Bastore
                | Op::Castore
                | Op::Sastore,
                _,
            ) => {
                let slots = op.pop_slots().expect("array stores have fixed operands");
                let array = state.stack.len().checked_sub(usize::from(slots));
                let array = array.ok_or(Global(Cause::Unreadable))?;
                self.write(state.stack[array], Cause::Write(pc))?;
                state.stack.truncate(array);
            }
            (
                Op::Getstatic | Op::Putstatic | Op::Getfield | Op::Putfield,
                Operand::Field(index),
            ) => {
                self.field(op, index, pc, state)?;
            }
            (_, Operand::Method(index) | Operand::InterfaceMethod(index, _)) => {
                self.call(op, pool.member(index)?, pc, state)?;
            }
            (_, Operand::Dynamic(index)) => self.dynamic(index, pc, state)?,
            (Op::Ldc | Op::LdcW | Op::Ldc2W, Operand::Const(index)) => {
                self.constant(pool.get(index)?, pc, state)?;
            }
            (Op::New, Operand::Class(index)) => {
                self.initialise(pool.class(index)?)?;
                state.stack.push(Value::FRESH);
            }
            (Op::Newarray | Op::Anewarray, _) => {
                pop(state)?;
                state.stack.push(Value::FRESH);
            }
            (Op::Multianewarray, Operand::MultiNewArray(_, dimensions)) => {
                for _ in 0..dimensions {
                    pop(state)?;
                }
                state.stack.push(Value::FRESH);
            }
            (Op::Checkcast, Operand::Class(index)) => {
                let name = pool.class(index)?;
                if is_immutable(FieldType::Object(name)) && !name.as_bytes().starts_with(b"[") {
                    pop(state)?;
                    state.stack.push(Value::FRESH);
                }
            }
            (Op::Areturn, _) => {
                let value = pop(state)?;
                self.summary.result = self.summary.result.join(value);
            }
            (Op::Monitorenter | Op::Monitorexit, _) => {
                pop(state)?;
                self.summary.locks = true;
            }
            (Op::Jsr | Op::JsrW | Op::Ret, _) => return Err(Global(Cause::Unreadable)),
            _ => plain(op, state)?,
        }
        Ok(())
    }

    /// A write into an object.
    fn write(&mut self, object: Value, cause: Cause) -> Step {
        if object.bits() & super::value::OLD != 0 {
            return Err(Global(cause));
        }
        if !object.is_fresh() {
            self.summary.mutation = self.summary.mutation.or(Some(cause));
            self.summary.mutated = self.summary.mutated.join(object);
        }
        Ok(())
    }

    fn field(&mut self, op: Op, index: u16, pc: u32, state: &mut State) -> Step {
        let member = self.file.pool().member(index)?;
        let ty = FieldType::parse(member.descriptor)?;
        let field = bucket(member.name.as_bytes());
        let is_static = matches!(op, Op::Getstatic | Op::Putstatic);
        if is_static {
            self.initialise(member.owner)?;
        }
        // An initialiser that sets up its own class's static fields fills, so to say, an object of its own.
        let mine = self.is_initialiser && member.owner == self.file.name();
        let object = if mine { Value::FRESH } else { Value::UNKNOWN };
        if matches!(op, Op::Getstatic | Op::Getfield) {
            let object = if is_static { object } else { pop(state)? };
            let value = if is_immutable(ty) {
                Value::FRESH
            } else {
                self.summary.stored.load(object, field)
            };
            push(state, value, ty);
            return Ok(());
        }
        if ty.slots() == 2 {
            pop(state)?;
        }
        let value = pop(state)?;
        let (object, cause) = if is_static {
            (object, Cause::Static(index))
        } else {
            (pop(state)?, Cause::Write(pc))
        };
        if !is_immutable(ty) {
            self.summary.stored.add(field, value);
        }
        self.write(object, cause)
    }

    /// The initialisers that the use of a class may run. One's own class and those above it are initialised already, or
    /// being so, by whoever runs this method.
    fn initialise(&mut self, name: JStr<'_>) -> Step {
        let world = self.context.world;
        if name == self.file.name() || self.summary.first_use.is_some() {
            return Ok(());
        }
        let class = world.class(name).ok_or(Global(Cause::Unknown(0)))?;
        if world.is_subtype(self.class, class) {
            return Ok(());
        }
        for initialiser in self.context.nodes.initialisers(class) {
            let summary = &self.context.summaries[initialiser.0 as usize];
            let effect = summary.global.is_some() || summary.first_use.is_some();
            if effect && *initialiser != self.method {
                self.summary.first_use = Some(Cause::Initialiser(initialiser.0));
            }
        }
        Ok(())
    }

    fn call(&mut self, op: Op, member: MemberRef<'_>, pc: u32, state: &mut State) -> Step {
        let descriptor = MethodDescriptor::parse(member.descriptor)?;
        let arguments = arguments(descriptor, op != Op::Invokestatic, state)?;
        if op == Op::Invokestatic {
            self.initialise(member.owner)?;
        }
        let result = descriptor.return_type();
        if let (true, [b'[', element @ ..]) = (member.name == "clone", member.owner.as_bytes()) {
            if matches!(element.first(), Some(b'L' | b'[')) {
                let elements = self.summary.stored.load(arguments[0], ELEMENT);
                self.summary.stored.add(ELEMENT, elements);
            }
            state.stack.push(Value::FRESH);
            return Ok(());
        }
        let exact = matches!(op, Op::Invokestatic | Op::Invokespecial);
        let node = self
            .context
            .nodes
            .of_reference(self.context.world, member, exact)
            .ok_or(Global(Cause::Unknown(pc)))?;
        let value = self.apply(node, &arguments)?;
        if let Some(ty) = result {
            let value = if is_immutable(ty) {
                Value::FRESH
            } else {
                value
            };
            push(state, value, ty);
        }
        Ok(())
    }

    /// Takes over the effects of a call; its result.
    fn apply(&mut self, node: u32, arguments: &[Value]) -> std::result::Result<Value, Global> {
        let callee = &self.context.summaries[node as usize];
        // Causes of a virtual call already name the method it runs.
        let through = |own: Option<Cause>| match own {
            Some(Cause::Call(target)) if node as usize >= self.context.world.method_count() => {
                Cause::Call(target)
            }
            _ => Cause::Call(node),
        };
        if let Some(cause) = callee.global {
            let nothing = cause == Cause::Nothing;
            return Err(Global(if nothing { cause } else { through(Some(cause)) }));
        }
        if callee.first_use.is_some() {
            let first_use = self.summary.first_use;
            self.summary.first_use = first_use.or(Some(through(callee.first_use)));
        }
        self.summary.locks |= callee.locks;
        let stored = self.summary.stored;
        let kept = stored.translate(callee.stored.what, arguments);
        self.summary.stored.add(callee.stored.fields, kept);
        let mutated = self.summary.stored.translate(callee.mutated, arguments);
        self.write(mutated, through(callee.mutation))?;
        Ok(self.summary.stored.translate(callee.result, arguments))
    }

    /// A call site made at run time. Lambdas only keep what they capture; string concatenation only reads strings and
    /// primitives, but calls `toString` of anything else, which is not followed.
    fn dynamic(&mut self, index: u16, pc: u32, state: &mut State) -> Step {
        let site = self.file.pool().dynamic(index)?;
        let descriptor = MethodDescriptor::parse(site.descriptor)?;
        let captured = arguments(descriptor, false, state)?;
        let unknown = Global(Cause::Unknown(pc));
        match self.bootstrap_owner(site.bootstrap)?.as_deref() {
            Some(b"java/lang/invoke/LambdaMetafactory") => {
                for value in captured {
                    self.summary.stored.add(u64::MAX, value);
                }
            }
            Some(b"java/lang/invoke/StringConcatFactory")
                if descriptor.parameters().all(is_immutable) => {}
            _ => return Err(unknown),
        }
        if let Some(ty) = descriptor.return_type() {
            push(state, Value::FRESH, ty);
        }
        Ok(())
    }

    fn bootstrap_owner(&self, index: u16) -> Result<Option<Vec<u8>>> {
        let Some(Attribute::BootstrapMethods(all)) = self.file.attribute("BootstrapMethods")?
        else {
            return Ok(None);
        };
        let Some(bootstrap) = all.get(usize::from(index)) else {
            return Ok(None);
        };
        let handle = self.file.pool().method_handle(bootstrap.handle)?;
        Ok(Some(handle.member.owner.as_bytes().to_vec()))
    }

    fn constant(&mut self, constant: Constant<'_>, pc: u32, state: &mut State) -> Step {
        match constant {
            Constant::Dynamic(_) => return Err(Global(Cause::Unknown(pc))),
            Constant::Long(_) | Constant::Double(_) => {
                state.stack.extend([Value::FRESH, Value::FRESH]);
            }
            Constant::MethodHandle(_) | Constant::MethodType(_) => {
                state.stack.push(Value::UNKNOWN);
            }
            _ => state.stack.push(Value::FRESH),
        }
        Ok(())
    }
}

fn join_all(into: &mut [Value], from: &[Value]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a = a.join(*b);
    }
}

fn pop(state: &mut State) -> std::result::Result<Value, Global> {
    state.stack.pop().ok_or(Global(Cause::Unreadable))
}

fn push(state: &mut State, value: Value, ty: FieldType<'_>) {
    state.stack.push(value);
    if ty.slots() == 2 {
        state.stack.push(Value::FRESH);
    }
}

/// Pops the arguments of a call, the receiver first in the result.
fn arguments(
    descriptor: MethodDescriptor<'_>,
    receiver: bool,
    state: &mut State,
) -> std::result::Result<Vec<Value>, Global> {
    let slots = usize::from(descriptor.parameter_slots()) + usize::from(receiver);
    let start = state.stack.len().checked_sub(slots);
    let mut at = start.ok_or(Global(Cause::Unreadable))?;
    let first = at;
    let mut values = Vec::new();
    if receiver {
        values.push(state.stack[at]);
        at += 1;
    }
    for ty in descriptor.parameters() {
        let value = state.stack[at];
        values.push(if is_immutable(ty) {
            Value::FRESH
        } else {
            value
        });
        at += usize::from(ty.slots());
    }
    state.stack.truncate(first);
    Ok(values)
}

/// The state a method begins with; `receiver` names its class unless it is static.
fn entry(descriptor: JStr<'_>, receiver: Option<JStr<'_>>, max_locals: u16) -> Result<State> {
    let mut locals = Vec::new();
    if let Some(class) = receiver {
        let immutable = is_immutable(FieldType::Object(class));
        locals.push(if immutable {
            Value::FRESH
        } else {
            Value::parameter(0)
        });
    }
    let first = locals.len();
    for (i, ty) in MethodDescriptor::parse(descriptor)?
        .parameters()
        .enumerate()
    {
        let mutable = Value::parameter(first + i);
        locals.push(if is_immutable(ty) {
            Value::FRESH
        } else {
            mutable
        });
        if ty.slots() == 2 {
            locals.push(Value::FRESH);
        }
    }
    locals.resize(locals.len().max(max_locals.into()), Value::FRESH);
    let stack = Vec::new();
    Ok(State { locals, stack })
}

/// Instructions that move no reference but within the stack.
fn plain(op: Op, state: &mut State) -> Step {
    let stack = &mut state.stack;
    let (copied, below) = match op {
        Op::Dup => (1, 0),
        Op::DupX1 => (1, 1),
        Op::DupX2 => (1, 2),
        Op::Dup2 => (2, 0),
        Op::Dup2X1 => (2, 1),
        Op::Dup2X2 => (2, 2),
        Op::Swap => {
            let top = pop(state)?;
            let second = pop(state)?;
            state.stack.extend([top, second]);
            return Ok(());
        }
        _ => {
            let pops = usize::from(op.pop_slots().ok_or(Global(Cause::Unreadable))?);
            let left = stack.len().checked_sub(pops);
            stack.truncate(left.ok_or(Global(Cause::Unreadable))?);
            let pushes = if op.is_load() {
                load_slots(op)
            } else {
                op.push_slots()
            };
            let pushes = usize::from(pushes.ok_or(Global(Cause::Unreadable))?);
            stack.extend(std::iter::repeat_n(Value::FRESH, pushes));
            return Ok(());
        }
    };
    let top = stack.len().checked_sub(copied + below);
    let at = top.ok_or(Global(Cause::Unreadable))?;
    let copy: Vec<Value> = stack[stack.len() - copied..].to_vec();
    stack.splice(at..at, copy);
    Ok(())
}

/// What a load of a primitive local pushes.
fn load_slots(op: Op) -> Option<u8> {
    Some(if matches!(op, Op::Lload | Op::Dload) {
        2
    } else {
        1
    })
}
