//! The members a class gets that is initialised anew in each epoch:
//!
//! ```text
//! static void $braid$guard() { if ($braid$epoch != Braid.epoch) $braid$init(); }
//! static void $braid$init() {
//!     if ($braid$owner == Thread.currentThread()) return;     // the initialiser uses its class
//!     if (!Reset.begin(C.class)) return;                       // another thread did it
//!     int epoch = Braid.epoch;
//!     $braid$owner = Thread.currentThread();
//!     try {
//!         Super.$braid$guard();
//!         x = 0; y = null; ..                                  // as the JVM prepares fields
//!         $braid$clinit();                                     // the body of <clinit>
//!     } catch (Throwable t) { $braid$owner = null; throw Reset.failed(C.class, t); }
//!     $braid$owner = null;
//!     $braid$epoch = epoch;
//!     Reset.done(C.class);
//! }
//! ```
//!
//! The JVM's own initialisation does nothing (in interfaces: makes the cells), so it cannot fail
//! and cannot poison the class. An interface keeps epoch and owner in arrays, because its fields
//! are final.

use braid_classfile::{
    AccessFlags, ClassFile, Code, Editor, FieldType, Frames, Insn, JStr, Member, Op, PrimitiveType,
    TryRange,
};

use crate::error::Result;
use crate::instrument::entry::int;
use crate::instrument::guards;
use crate::names::{self, BRAID, CELLS, CLINIT, EPOCH, FIRST_CELL, INIT, OWNER, RESET};
use crate::serial;
use crate::world::World;

/// Where a new class's epoch starts: no run has this one.
const NEVER: i32 = i32::MIN;

const HIDDEN: AccessFlags = AccessFlags(0x1008); // static synthetic

/// Adds the members to the class being edited.
pub(super) fn add(editor: &mut Editor<'_>, world: &World) -> Result<()> {
    let class = editor.class();
    let version_id = match serial::needs_version_id(class, world) {
        true => Some(serial::version_id(class)?),
        false => None,
    };
    let interface = class.access().is_interface();
    let mut builder = Builder {
        class,
        editor,
        code: Code::default(),
        interface,
    };
    let initialiser = builder.move_initialiser()?;
    builder.fields()?;
    builder.guard(world)?;
    builder.init(world, initialiser)?;
    if interface {
        builder.cells()?;
    }
    if let Some(id) = version_id {
        serial::add(editor, id)?;
    }
    Ok(())
}

struct Builder<'e, 'a> {
    class: &'a ClassFile<'a>,
    editor: &'e mut Editor<'a>,
    code: Code,
    interface: bool,
}

impl Builder<'_, '_> {
    /// `<clinit>` becomes an ordinary method; false if there is none.
    fn move_initialiser(&mut self) -> Result<bool> {
        let found = self
            .class
            .methods()
            .position(|method| method.name() == "<clinit>");
        if let Some(position) = found {
            let access = HIDDEN.with(AccessFlags::PRIVATE);
            self.editor.rename_method(position, CLINIT)?;
            self.editor.set_method_access(position, access)?;
        }
        Ok(found.is_some())
    }

    /// The fields that hold epoch and owner; static fields lose `final`.
    fn fields(&mut self) -> Result<()> {
        if self.interface {
            let access = HIDDEN.with(AccessFlags::PUBLIC).with(AccessFlags::FINAL);
            self.editor.add_field(access, EPOCH, "[I")?;
            self.editor
                .add_field(access, CELLS, "[Ljava/lang/Object;")?;
            return Ok(());
        }
        for (position, field) in self.class.fields().enumerate() {
            if needs_default(field) && field.access().is_final() {
                let access = field.access().without(AccessFlags::FINAL);
                self.editor.set_field_access(position, access)?;
            }
        }
        let access = HIDDEN.with(AccessFlags::PRIVATE);
        let epoch = self.editor.add_field(access, EPOCH, "I")?;
        let never = self.editor.pool_mut().integer(NEVER)?;
        self.editor.set_field_attribute(
            epoch,
            "ConstantValue",
            Some(never.to_be_bytes().to_vec()),
        )?;
        self.editor.add_field(access, OWNER, "Ljava/lang/Thread;")?;
        Ok(())
    }

    fn own_field(&mut self, name: &str, descriptor: &str) -> Result<u16> {
        let class = self.class.name();
        Ok(self.editor.pool_mut().field(class, name, descriptor)?)
    }

    fn own_method(&mut self, name: &str) -> Result<Insn> {
        let class = self.class.name();
        let pool = self.editor.pool_mut();
        let method = match self.interface {
            true => pool.interface_method(class, name, "()V")?,
            false => pool.method(class, name, "()V")?,
        };
        Ok(Insn::Invoke(Op::Invokestatic, method))
    }

    fn reset(&mut self, name: &str, descriptor: &str) -> Result<Insn> {
        let method = self.editor.pool_mut().method(RESET, name, descriptor)?;
        Ok(Insn::Invoke(Op::Invokestatic, method))
    }

    fn push(&mut self, insns: impl IntoIterator<Item = Insn>) {
        self.code.insns.extend(insns);
    }

    /// Pushes the class itself onto the operand stack.
    fn this_class(&mut self) -> Result<()> {
        let name = self.class.name();
        if self.class.major_version() >= 49 {
            let index = self.editor.pool_mut().class(name)?;
            self.push([Insn::ldc(index)]);
            return Ok(());
        }
        // Older class files have no class constants.
        let dotted = name.to_string().replace('/', ".");
        let pool = self.editor.pool_mut();
        let text = pool.string(dotted.as_str())?;
        let by_name = "(Ljava/lang/String;)Ljava/lang/Class;";
        let method = pool.method("java/lang/Class", "forName", by_name)?;
        self.push([Insn::ldc(text), Insn::Invoke(Op::Invokestatic, method)]);
        Ok(())
    }

    /// Pushes `$braid$epoch`.
    fn load_epoch(&mut self) -> Result<()> {
        if self.interface {
            let field = self.own_field(EPOCH, "[I")?;
            self.push([
                Insn::Field(Op::Getstatic, field),
                Insn::Plain(Op::Iconst0),
                Insn::Plain(Op::Iaload),
            ]);
        } else {
            let field = self.own_field(EPOCH, "I")?;
            self.push([Insn::Field(Op::Getstatic, field)]);
        }
        Ok(())
    }

    /// Sets `$braid$epoch` to the epoch in which the initialiser began.
    fn store_epoch(&mut self) -> Result<()> {
        let now = Insn::Local(Op::Iload, 0);
        if self.interface {
            let field = self.own_field(EPOCH, "[I")?;
            let array = Insn::Field(Op::Getstatic, field);
            self.push([
                array,
                Insn::Plain(Op::Iconst0),
                now,
                Insn::Plain(Op::Iastore),
            ]);
        } else {
            let field = self.own_field(EPOCH, "I")?;
            self.push([now, Insn::Field(Op::Putstatic, field)]);
        }
        Ok(())
    }

    /// Sets `$braid$owner` to what `value` pushes.
    fn store_owner(&mut self, value: Insn) -> Result<()> {
        if self.interface {
            let field = self.own_field(CELLS, "[Ljava/lang/Object;")?;
            let array = Insn::Field(Op::Getstatic, field);
            self.push([
                array,
                Insn::Plain(Op::Iconst0),
                value,
                Insn::Plain(Op::Aastore),
            ]);
        } else {
            let field = self.own_field(OWNER, "Ljava/lang/Thread;")?;
            self.push([value, Insn::Field(Op::Putstatic, field)]);
        }
        Ok(())
    }

    fn load_owner(&mut self) -> Result<()> {
        if self.interface {
            let field = self.own_field(CELLS, "[Ljava/lang/Object;")?;
            self.push([
                Insn::Field(Op::Getstatic, field),
                Insn::Plain(Op::Iconst0),
                Insn::Plain(Op::Aaload),
            ]);
        } else {
            let field = self.own_field(OWNER, "Ljava/lang/Thread;")?;
            self.push([Insn::Field(Op::Getstatic, field)]);
        }
        Ok(())
    }

    /// Adds a method with the code that was pushed.
    fn method(&mut self, access: AccessFlags, name: JStr<'_>) -> Result<()> {
        let position = self.editor.add_method(access, name, "()V")?;
        self.editor
            .write_code(position, &mut self.code, Frames::Forward)?;
        self.code.clear();
        Ok(())
    }

    fn guard(&mut self, _world: &World) -> Result<()> {
        let now = self.editor.pool_mut().field(BRAID, "epoch", "I")?;
        let init = self.own_method(INIT)?;
        let end = self.code.new_label();
        self.load_epoch()?;
        self.push([
            Insn::Field(Op::Getstatic, now),
            Insn::Jump(Op::IfIcmpeq, end),
            init,
            Insn::Label(end),
            Insn::Plain(Op::Return),
        ]);
        let public = self.class.access().is_public();
        let name = names::guard(self.class.name().as_bytes(), public);
        self.method(HIDDEN.with(AccessFlags::PUBLIC), JStr::new(&name))
    }

    fn init(&mut self, world: &World, initialiser: bool) -> Result<()> {
        let thread = self.editor.pool_mut().method(
            "java/lang/Thread",
            "currentThread",
            "()Ljava/lang/Thread;",
        )?;
        let thread = Insn::Invoke(Op::Invokestatic, thread);
        let begin = self.reset("begin", "(Ljava/lang/Class;)Z")?;
        let [start, end, handler, out] = std::array::from_fn(|_| self.code.new_label());
        self.load_owner()?;
        self.push([thread, Insn::Jump(Op::IfAcmpeq, out)]);
        self.this_class()?;
        let epoch = self.editor.pool_mut().field(BRAID, "epoch", "I")?;
        self.push([
            begin,
            Insn::Jump(Op::Ifeq, out),
            Insn::Field(Op::Getstatic, epoch),
            Insn::Local(Op::Istore, 0),
            Insn::Label(start),
        ]);
        self.store_owner(thread)?;
        self.initialise(world, initialiser)?;
        self.push([Insn::Label(end)]);
        self.store_owner(Insn::Plain(Op::AconstNull))?;
        self.store_epoch()?;
        self.this_class()?;
        let done = self.reset("done", "(Ljava/lang/Class;)V")?;
        self.push([done, Insn::Label(out), Insn::Plain(Op::Return)]);
        self.push([Insn::Label(handler), Insn::Local(Op::Astore, 1)]);
        self.store_owner(Insn::Plain(Op::AconstNull))?;
        self.this_class()?;
        let failed = self.reset(
            "failed",
            "(Ljava/lang/Class;Ljava/lang/Throwable;)Ljava/lang/Throwable;",
        )?;
        self.push([Insn::Local(Op::Aload, 1), failed, Insn::Plain(Op::Athrow)]);
        self.code.tries.push(TryRange {
            start,
            end,
            handler,
            catch_type: 0,
        });
        let access = HIDDEN.with(AccessFlags::PRIVATE);
        self.method(access, JStr::from(INIT))
    }

    /// What stands inside the `try`: superclasses, defaults, the initialiser.
    fn initialise(&mut self, world: &World, initialiser: bool) -> Result<()> {
        let major = self.class.major_version();
        for guard in world.guards_before(self.class) {
            guards::call(self.editor, &guard, major, &mut self.code.insns)?;
        }
        if self.interface {
            self.clear_cells()?;
        } else {
            for field in self.class.fields().filter(|field| needs_default(*field)) {
                self.default(field)?;
            }
        }
        if self
            .class
            .super_name()
            .is_some_and(|name| name == "java/lang/Enum")
        {
            let changed = self.reset("enumChanged", "(Ljava/lang/Class;)V")?;
            self.this_class()?;
            self.push([changed]);
        }
        if initialiser {
            let clinit = self.own_method(CLINIT)?;
            self.push([clinit]);
        }
        Ok(())
    }

    /// Sets a static field to what it has before the initialiser runs.
    fn default(&mut self, field: Member<'_>) -> Result<()> {
        let descriptor = field.descriptor();
        let ty = FieldType::parse(descriptor)?;
        let constant = match field.attribute("ConstantValue")? {
            Some(braid_classfile::Attribute::ConstantValue(index)) => Some(index),
            _ => None,
        };
        let value = match (constant, ty) {
            (Some(index), FieldType::Long | FieldType::Double) => Insn::ldc2(index),
            (Some(index), _) => Insn::ldc(index),
            (None, ty) => default_value(ty),
        };
        let class = self.class.name();
        let field = self
            .editor
            .pool_mut()
            .field(class, field.name(), descriptor)?;
        self.push([value, Insn::Field(Op::Putstatic, field)]);
        Ok(())
    }

    /// The cells of primitive fields hold a zero before the initialiser runs, the others nothing.
    fn clear_cells(&mut self) -> Result<()> {
        let cells = self.own_field(CELLS, "[Ljava/lang/Object;")?;
        let fields = self
            .class
            .fields()
            .filter(|f| f.access().is_static() && !is_constant(*f));
        for (number, field) in fields.enumerate() {
            let ty = FieldType::parse(field.descriptor())?;
            let index = int(self.editor, (FIRST_CELL + number) as i32)?;
            self.push([Insn::Field(Op::Getstatic, cells), index, default_value(ty)]);
            if let Some(wrapper) = super::interface::Wrapper::of(ty) {
                let descriptor = format!("({})L{};", field.descriptor(), wrapper.class);
                let pool = self.editor.pool_mut();
                let method = pool.method(wrapper.class, "valueOf", descriptor.as_str())?;
                self.push([Insn::Invoke(Op::Invokestatic, method)]);
            }
            self.push([Insn::Plain(Op::Aastore)]);
        }
        Ok(())
    }

    /// The JVM's initialiser of an interface: makes the arrays.
    fn cells(&mut self) -> Result<()> {
        let count = self
            .class
            .fields()
            .filter(|f| f.access().is_static() && !is_constant(*f))
            .count();
        let epoch = self.own_field(EPOCH, "[I")?;
        let cells = self.own_field(CELLS, "[Ljava/lang/Object;")?;
        let never = self.editor.pool_mut().integer(NEVER)?;
        let object = self.editor.pool_mut().class("java/lang/Object")?;
        let count = int(self.editor, (FIRST_CELL + count) as i32)?;
        self.push([
            Insn::Plain(Op::Iconst1),
            Insn::NewArray(PrimitiveType::Int),
            Insn::Plain(Op::Dup),
            Insn::Plain(Op::Iconst0),
            Insn::ldc(never),
            Insn::Plain(Op::Iastore),
            Insn::Field(Op::Putstatic, epoch),
            count,
            Insn::Class(Op::Anewarray, object),
            Insn::Field(Op::Putstatic, cells),
            Insn::Plain(Op::Return),
        ]);
        self.method(AccessFlags::STATIC, JStr::from("<clinit>"))
    }
}

fn is_constant(field: Member<'_>) -> bool {
    crate::world::is_constant(field)
}

/// True for static fields that a reset sets back.
fn needs_default(field: Member<'_>) -> bool {
    field.access().is_static() && !is_constant(field)
}

fn default_value(ty: FieldType<'_>) -> Insn {
    Insn::Plain(match ty {
        FieldType::Long => Op::Lconst0,
        FieldType::Float => Op::Fconst0,
        FieldType::Double => Op::Dconst0,
        FieldType::Object(_) | FieldType::Array(_) => Op::AconstNull,
        _ => Op::Iconst0,
    })
}
