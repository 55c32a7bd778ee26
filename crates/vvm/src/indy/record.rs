//! `equals`, `hashCode` and `toString` of records.

use super::{Argument, Bootstrap};
use crate::class::synth::{Assembler, SynthConst, opcode};
use crate::class::{ClassId, MethodId};
use crate::trap::{Step, Trap};
use crate::value::Kind;
use crate::vm::Vm;

struct Component {
    name: String,
    descriptor: String,
}

impl Vm {
    pub(super) fn link_record(&mut self, bootstrap: &Bootstrap) -> Step<MethodId> {
        let [Argument::Class(name), Argument::String(_), getters @ ..] = &bootstrap.arguments[..]
        else {
            return Err(Trap::unknown("a record with unusual bootstrap arguments"));
        };
        let class = self.load(name)?;
        let components: Vec<Component> = getters
            .iter()
            .filter_map(|getter| match getter {
                Argument::Handle(handle) => Some(Component {
                    name: handle.name.clone(),
                    descriptor: handle.descriptor.clone(),
                }),
                _ => None,
            })
            .collect();
        let mut asm = Assembler::default();
        match bootstrap.name.as_str() {
            "toString" => self.record_to_string(&mut asm, class, &components)?,
            "hashCode" => self.record_hash(&mut asm, class, &components)?,
            _ => self.record_equals(&mut asm, class, &components)?,
        }
        let code = asm.code(3, 8);
        self.stub("Record", &bootstrap.descriptor, code, asm.pool)
    }

    fn component(&self, asm: &mut Assembler, class: ClassId, local: u16, component: &Component) {
        asm.load(Kind::Ref, local);
        asm.with(
            opcode::GETFIELD,
            SynthConst::Field(
                class,
                component.name.as_str().into(),
                component.descriptor.as_str().into(),
            ),
        );
    }

    fn call_static(
        &mut self,
        asm: &mut Assembler,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Step<()> {
        let class = self.load(class)?;
        let method = self.method_of(class, name, descriptor)?;
        asm.with(
            opcode::INVOKESTATIC,
            SynthConst::Method(method, descriptor.into()),
        );
        Ok(())
    }

    fn record_to_string(
        &mut self,
        asm: &mut Assembler,
        class: ClassId,
        components: &[Component],
    ) -> Step<()> {
        let builder = self.load("java/lang/StringBuilder")?;
        let init = self.method_of(builder, "<init>", "()V")?;
        asm.with(opcode::NEW, SynthConst::Class(builder));
        asm.op(opcode::DUP);
        asm.with(
            opcode::INVOKESPECIAL,
            SynthConst::Method(init, "()V".into()),
        );
        let simple = self.simple_name(class);
        let mut text = format!("{simple}[");
        for component in components {
            text.push_str(&format!("{}=", component.name));
            self.append_text(asm, builder, &text)?;
            self.component(asm, class, 0, component);
            let param = match Kind::of(&component.descriptor) {
                Kind::Byte | Kind::Short => "I".to_owned(),
                Kind::Ref => "Ljava/lang/Object;".to_owned(),
                _ => component.descriptor.clone(),
            };
            self.append_value(asm, builder, &param)?;
            text = ", ".into();
        }
        let end = if components.is_empty() {
            format!("{simple}[]")
        } else {
            "]".into()
        };
        self.append_text(asm, builder, &end)?;
        let to_string = self.method_of(builder, "toString", "()Ljava/lang/String;")?;
        asm.with(
            opcode::INVOKEVIRTUAL,
            SynthConst::Method(to_string, "()Ljava/lang/String;".into()),
        );
        asm.op(opcode::ARETURN);
        Ok(())
    }

    fn append_text(&mut self, asm: &mut Assembler, builder: ClassId, text: &str) -> Step<()> {
        asm.with(
            opcode::LDC_W,
            SynthConst::String(text.encode_utf16().collect()),
        );
        self.append_value(asm, builder, "Ljava/lang/String;")
    }

    fn append_value(&mut self, asm: &mut Assembler, builder: ClassId, param: &str) -> Step<()> {
        let text = format!("({param})Ljava/lang/StringBuilder;");
        let method = self.method_of(builder, "append", &text)?;
        asm.with(
            opcode::INVOKEVIRTUAL,
            SynthConst::Method(method, text.into()),
        );
        Ok(())
    }

    /// The hash is `31 * hash + hash(component)`, starting at 0.
    fn record_hash(
        &mut self,
        asm: &mut Assembler,
        class: ClassId,
        components: &[Component],
    ) -> Step<()> {
        asm.op(opcode::ICONST_0);
        for component in components {
            asm.int(31);
            asm.op(opcode::IMUL);
            self.component(asm, class, 0, component);
            let kind = Kind::of(&component.descriptor);
            match kind {
                Kind::Ref => {
                    self.call_static(
                        asm,
                        "java/util/Objects",
                        "hashCode",
                        "(Ljava/lang/Object;)I",
                    )?;
                }
                _ => {
                    let descriptor = format!("({})I", kind.descriptor());
                    self.call_static(asm, kind.wrapper().unwrap_or(""), "hashCode", &descriptor)?;
                }
            }
            asm.op(opcode::IADD);
        }
        asm.op(opcode::IRETURN);
        Ok(())
    }

    fn record_equals(
        &mut self,
        asm: &mut Assembler,
        class: ClassId,
        components: &[Component],
    ) -> Step<()> {
        asm.load(Kind::Ref, 1);
        asm.with(opcode::INSTANCEOF, SynthConst::Class(class));
        let mut differs = vec![asm.jump(opcode::IFEQ)];
        asm.load(Kind::Ref, 1);
        asm.with(opcode::CHECKCAST, SynthConst::Class(class));
        asm.bytes.push(0x4D); // astore_2
        for component in components {
            self.component(asm, class, 0, component);
            self.component(asm, class, 2, component);
            let kind = Kind::of(&component.descriptor);
            match kind {
                Kind::Ref => {
                    let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
                    self.call_static(asm, "java/util/Objects", "equals", descriptor)?;
                    differs.push(asm.jump(opcode::IFEQ));
                }
                Kind::Float | Kind::Double | Kind::Long => {
                    let descriptor = format!("({0}{0})I", kind.descriptor());
                    self.call_static(asm, kind.wrapper().unwrap_or(""), "compare", &descriptor)?;
                    differs.push(asm.jump(opcode::IFNE));
                }
                _ => differs.push(asm.jump(opcode::IF_ICMPNE)),
            }
        }
        asm.op(opcode::ICONST_1);
        asm.op(opcode::IRETURN);
        for jump in differs {
            asm.land(jump);
        }
        asm.op(opcode::ICONST_0);
        asm.op(opcode::IRETURN);
        Ok(())
    }
}
