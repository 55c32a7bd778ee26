//! Definite types of locals and operand stack before each instruction, forward from the frames of the class file.
//!
//! Frames are taken as given (no hierarchy is asked): between them the types follow from the instructions. Code that
//! cannot be reached, and so has no frame and no way into it, has no state.

use braid_classfile::attribute::{FrameForm, RawType};
use braid_classfile::{
    Attribute, ClassFile, CodeAttribute, Constant, ConstantPool, Error, ErrorKind, FieldType,
    Instruction, JStr, Member, MethodDescriptor, Op, Operand, Result,
};

/// A verification type with its class by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Nothing usable; also the second slot of a long or double.
    Top,
    /// int, boolean, byte, char, short.
    Int,
    /// float.
    Float,
    /// long: this slot and the next.
    Long,
    /// double: this slot and the next.
    Double,
    /// The null reference.
    Null,
    /// `this` before the super constructor was called.
    UninitializedThis,
    /// What the `new` at this code offset made, before its constructor was called.
    Uninitialized(u32),
    /// An object by internal name, or an array by descriptor.
    Object(Box<[u8]>),
}

impl Type {
    fn object(name: JStr<'_>) -> Type {
        Type::Object(name.as_bytes().into())
    }

    fn named(name: &str) -> Type {
        Type::object(JStr::from(name))
    }

    /// The type of a field or parameter.
    pub fn of(ty: FieldType<'_>) -> Type {
        match ty {
            FieldType::Long => Type::Long,
            FieldType::Double => Type::Double,
            FieldType::Float => Type::Float,
            FieldType::Object(name) | FieldType::Array(name) => Type::object(name),
            _ => Type::Int,
        }
    }

    /// Whether it takes two slots.
    pub fn is_wide(&self) -> bool {
        matches!(self, Type::Long | Type::Double)
    }

    fn read(raw: RawType, pool: ConstantPool<'_>) -> Result<Type> {
        Ok(match raw {
            RawType::Top => Type::Top,
            RawType::Integer => Type::Int,
            RawType::Float => Type::Float,
            RawType::Double => Type::Double,
            RawType::Long => Type::Long,
            RawType::Null => Type::Null,
            RawType::UninitializedThis => Type::UninitializedThis,
            RawType::Object(index) => Type::object(pool.class(index)?),
            RawType::Uninitialized(pc) => Type::Uninitialized(pc.into()),
        })
    }
}

/// The types at one place, by slot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeState {
    /// Local variables; what is beyond the end is unusable.
    pub locals: Vec<Type>,
    /// The operand stack, bottom first.
    pub stack: Vec<Type>,
}

/// The types in a method.
#[derive(Debug)]
pub struct MethodTypes {
    states: Vec<Option<TypeState>>,
    frames: Vec<(u32, TypeState, Option<TypeState>)>,
}

impl MethodTypes {
    /// The types in a method that has code. Methods of class files before version 50 have no frames: their states end
    /// at the first place that is only jumped to.
    pub fn new(class: &ClassFile<'_>, method: Member<'_>, code: CodeAttribute<'_>) -> Result<Self> {
        let instructions: Vec<Instruction<'_>> = code.instructions().collect::<Result<_>>()?;
        let parameters = parameters(class, method)?;
        let mut state = Some(TypeState {
            locals: slots(&parameters),
            stack: Vec::new(),
        });
        let mut given = given_frames(code, parameters)?.into_iter().peekable();
        let mut types = MethodTypes {
            states: Vec::with_capacity(instructions.len()),
            frames: Vec::new(),
        };
        for (index, instruction) in instructions.iter().enumerate() {
            if let Some((_, frame)) = given.next_if(|(pc, _)| *pc == instruction.pc) {
                types
                    .frames
                    .push((index as u32, frame.clone(), state.take()));
                state = Some(frame);
            }
            types.states.push(state.clone());
            if let Some(current) = &mut state {
                let mut step = Step {
                    class,
                    pool: code.pool(),
                    state: current,
                    instructions: &instructions,
                };
                step.run(instruction)?;
            }
            if instruction.op.ends_block() {
                state = None;
            }
        }
        Ok(types)
    }

    /// The state before an instruction, by index; `None` if no way leads there.
    pub fn before(&self, instruction: u32) -> Option<&TypeState> {
        self.states.get(instruction as usize)?.as_ref()
    }

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Each frame of the class file: the instruction it stands at, the frame, and the state in which control falls
    /// into it, if it does.
    pub fn frames(&self) -> impl Iterator<Item = (u32, &TypeState, Option<&TypeState>)> {
        self.frames.iter().map(|(i, f, s)| (*i, f, s.as_ref()))
    }
}

/// The locals a method begins with, long and double as one entry.
fn parameters(class: &ClassFile<'_>, method: Member<'_>) -> Result<Vec<Type>> {
    let mut locals = Vec::new();
    if !method.access().is_static() {
        let constructor = method.name() == "<init>" && class.name() != "java/lang/Object";
        locals.push(if constructor {
            Type::UninitializedThis
        } else {
            Type::object(class.name())
        });
    }
    let descriptor = MethodDescriptor::parse(method.descriptor())?;
    locals.extend(descriptor.parameters().map(Type::of));
    Ok(locals)
}

fn given_frames(code: CodeAttribute<'_>, mut locals: Vec<Type>) -> Result<Vec<(u32, TypeState)>> {
    let Some(Attribute::StackMapTable(table)) = code.attributes.find("StackMapTable")? else {
        return Ok(Vec::new());
    };
    let read = |raw: &[RawType]| -> Result<Vec<Type>> {
        raw.iter().map(|ty| Type::read(*ty, code.pool())).collect()
    };
    let mut next_pc = 0;
    let mut frames = Vec::new();
    for delta in table.deltas() {
        let delta = delta?;
        let pc = next_pc + u32::from(delta.offset_delta);
        next_pc = pc + 1;
        let mut stack = Vec::new();
        match delta.form {
            FrameForm::Same => {}
            FrameForm::SameLocals1(item) => stack = read(&[item])?,
            FrameForm::Chop(count) => {
                locals.truncate(locals.len().saturating_sub(count.into()));
            }
            FrameForm::Append(more) => locals.extend(read(&more)?),
            FrameForm::Full {
                locals: all,
                stack: items,
            } => {
                locals = read(&all)?;
                stack = read(&items)?;
            }
        }
        let state = TypeState {
            locals: slots(&locals),
            stack: slots(&stack),
        };
        frames.push((pc, state));
    }
    Ok(frames)
}

fn slots(types: &[Type]) -> Vec<Type> {
    let mut slots = Vec::new();
    for ty in types {
        push(&mut slots, ty.clone());
    }
    slots
}

fn push(slots: &mut Vec<Type>, ty: Type) {
    let wide = ty.is_wide();
    slots.push(ty);
    if wide {
        slots.push(Type::Top);
    }
}

/// One instruction's effect on a state.
struct Step<'s, 'a> {
    class: &'s ClassFile<'s>,
    pool: ConstantPool<'s>,
    state: &'s mut TypeState,
    instructions: &'s [Instruction<'a>],
}

impl Step<'_, '_> {
    fn run(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let op = instruction.op.general();
        match instruction.operand {
            Operand::Local(local) if op.is_store() => self.store(local, instruction),
            Operand::Local(local) if op.is_load() => {
                let ty = self.state.locals.get(usize::from(local)).cloned();
                push(&mut self.state.stack, ty.unwrap_or(Type::Top));
                Ok(())
            }
            Operand::Field(index) => self.field(op, index, instruction),
            Operand::Method(index) | Operand::InterfaceMethod(index, _) => {
                self.call(op, index, instruction)
            }
            Operand::Dynamic(index) => {
                let descriptor = MethodDescriptor::parse(self.pool.dynamic(index)?.descriptor)?;
                self.pop(descriptor.parameter_slots().into(), instruction)?;
                self.push_result(descriptor.return_type());
                Ok(())
            }
            Operand::Const(index) => self.constant(index),
            Operand::MultiNewArray(index, dimensions) => {
                self.pop(dimensions.into(), instruction)?;
                let ty = Type::object(self.pool.class(index)?);
                self.state.stack.push(ty);
                Ok(())
            }
            _ => self.plain(op, instruction),
        }
    }

    fn pop(&mut self, slots: usize, at: &Instruction<'_>) -> Result<Vec<Type>> {
        let stack = &mut self.state.stack;
        match stack.len().checked_sub(slots) {
            Some(left) => Ok(stack.split_off(left)),
            None => Err(Error {
                offset: at.pc as usize,
                kind: ErrorKind::BadValue {
                    what: "operand stack depth",
                    value: slots as u32,
                },
            }),
        }
    }

    fn push_result(&mut self, ty: Option<FieldType<'_>>) {
        if let Some(ty) = ty {
            push(&mut self.state.stack, Type::of(ty));
        }
    }

    fn store(&mut self, local: u16, at: &Instruction<'_>) -> Result<()> {
        let wide = matches!(at.op.general(), Op::Lstore | Op::Dstore);
        let values = self.pop(1 + usize::from(wide), at)?;
        let local = usize::from(local);
        let locals = &mut self.state.locals;
        if locals.len() < local + values.len() {
            locals.resize(local + values.len(), Type::Top);
        }
        // A long or double whose second slot is overwritten is gone.
        if local > 0 && locals[local - 1].is_wide() {
            locals[local - 1] = Type::Top;
        }
        for (i, value) in values.into_iter().enumerate() {
            locals[local + i] = value;
        }
        Ok(())
    }

    fn field(&mut self, op: Op, index: u16, at: &Instruction<'_>) -> Result<()> {
        let ty = FieldType::parse(self.pool.member(index)?.descriptor)?;
        let slots = usize::from(ty.slots());
        match op {
            Op::Putstatic => self.pop(slots, at)?,
            Op::Putfield => self.pop(slots + 1, at)?,
            Op::Getfield => self.pop(1, at)?,
            _ => Vec::new(),
        };
        self.push_result(matches!(op, Op::Getstatic | Op::Getfield).then_some(ty));
        Ok(())
    }

    fn call(&mut self, op: Op, index: u16, at: &Instruction<'_>) -> Result<()> {
        let member = self.pool.member(index)?;
        let descriptor = MethodDescriptor::parse(member.descriptor)?;
        self.pop(descriptor.parameter_slots().into(), at)?;
        if op != Op::Invokestatic {
            let receiver = self.pop(1, at)?.remove(0);
            if member.name == "<init>" {
                self.initialise(&receiver)?;
            }
        }
        self.push_result(descriptor.return_type());
        Ok(())
    }

    /// A constructor was called: every copy of what it was called on is an object now.
    fn initialise(&mut self, made: &Type) -> Result<()> {
        let object = match made {
            Type::UninitializedThis => Type::object(self.class.name()),
            Type::Uninitialized(pc) => {
                let place = self.instructions.binary_search_by_key(pc, |i| i.pc);
                let operand = place.map(|i| self.instructions[i].operand);
                let Ok(Operand::Class(index)) = operand else {
                    return Ok(());
                };
                Type::object(self.pool.class(index)?)
            }
            _ => return Ok(()),
        };
        let slots = self.state.locals.iter_mut().chain(&mut self.state.stack);
        for slot in slots.filter(|slot| *slot == made) {
            *slot = object.clone();
        }
        Ok(())
    }

    fn constant(&mut self, index: u16) -> Result<()> {
        let ty = match self.pool.get(index)? {
            Constant::Integer(_) => Type::Int,
            Constant::Float(_) => Type::Float,
            Constant::Long(_) => Type::Long,
            Constant::Double(_) => Type::Double,
            Constant::String(_) => Type::named("java/lang/String"),
            Constant::Class(_) => Type::named("java/lang/Class"),
            Constant::MethodHandle(_) => Type::named("java/lang/invoke/MethodHandle"),
            Constant::MethodType(_) => Type::named("java/lang/invoke/MethodType"),
            Constant::Dynamic(dynamic) => Type::of(FieldType::parse(dynamic.descriptor)?),
            _ => Type::Top,
        };
        push(&mut self.state.stack, ty);
        Ok(())
    }

    /// Instructions whose effect the opcode says, or nearly.
    fn plain(&mut self, op: Op, at: &Instruction<'_>) -> Result<()> {
        let popped = self.pop(op.pop_slots().unwrap_or(0).into(), at)?;
        let stack = &mut self.state.stack;
        match (op, at.operand) {
            (Op::Dup | Op::Dup2, _) => stack.extend(popped.iter().chain(&popped).cloned()),
            (Op::DupX1 | Op::DupX2, _) => {
                stack.extend(popped.last().cloned());
                stack.extend(popped);
            }
            (Op::Dup2X1 | Op::Dup2X2, _) => {
                stack.extend_from_slice(&popped[popped.len() - 2..]);
                stack.extend(popped);
            }
            (Op::Swap, _) => stack.extend(popped.into_iter().rev()),
            (Op::New, _) => stack.push(Type::Uninitialized(at.pc)),
            (Op::Newarray, Operand::NewArray(element)) => {
                stack.push(Type::Object([b'[', element.letter()].into()));
            }
            (Op::Anewarray, Operand::Class(index)) => {
                let ty = array_of(self.pool.class(index)?);
                stack.push(ty);
            }
            (Op::Checkcast, Operand::Class(index)) => {
                let ty = Type::object(self.pool.class(index)?);
                stack.push(ty);
            }
            (Op::Aaload, _) => stack.push(element_of(&popped[0])),
            (Op::Jsr | Op::JsrW, _) => stack.push(Type::Top),
            _ => op
                .pushes()
                .bytes()
                .for_each(|letter| push_letter(stack, letter)),
        }
        Ok(())
    }
}

fn push_letter(stack: &mut Vec<Type>, letter: u8) {
    let ty = match letter {
        b'I' => Type::Int,
        b'F' => Type::Float,
        b'J' => Type::Long,
        b'D' => Type::Double,
        b'N' => Type::Null,
        _ => Type::Top,
    };
    push(stack, ty);
}

fn array_of(element: JStr<'_>) -> Type {
    let name = element.as_bytes();
    if name.first() == Some(&b'[') {
        return Type::Object([b"[", name].concat().into());
    }
    Type::Object([b"[L", name, b";"].concat().into())
}

/// What an array of references holds; null holds null.
fn element_of(array: &Type) -> Type {
    match array {
        Type::Object(name) => match &**name {
            [b'[', b'L', element @ .., b';'] => Type::Object(element.into()),
            [b'[', element @ ..] => Type::Object(element.into()),
            _ => Type::Top,
        },
        _ => Type::Null,
    }
}
