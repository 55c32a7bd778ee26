//! Pattern switches: `SwitchBootstraps.typeSwitch` and `enumSwitch`.

use super::{Argument, Bootstrap};
use crate::class::synth::{Assembler, SynthConst, opcode};
use crate::class::{ClassId, MethodId};
use crate::descriptor;
use crate::trap::{Step, Trap};
use crate::value::Kind;
use crate::vm::Vm;

impl Vm {
    /// `(target, restart) -> index`: -1 for null, the first matching label from `restart` on, else the number
    /// of labels.
    pub(super) fn link_switch(
        &mut self,
        _caller: ClassId,
        bootstrap: &Bootstrap,
    ) -> Step<MethodId> {
        let parts = descriptor::split(&bootstrap.descriptor)?;
        if Kind::of(parts[0]) != Kind::Ref {
            return Err(Trap::unknown(
                "a pattern switch on a primitive value is not supported",
            ));
        }
        let enum_class = descriptor::class_name(parts[0]).to_owned();
        let mut asm = Assembler::default();
        asm.load(Kind::Ref, 0);
        let not_null = asm.jump(0xC7); // ifnonnull
        asm.int(-1);
        asm.op(opcode::IRETURN);
        asm.land(not_null);
        for (index, label) in bootstrap.arguments.iter().enumerate() {
            asm.load(Kind::Int, 1);
            asm.int(index as i32);
            let earlier = asm.jump(0xA3); // if_icmpgt: this label lies before the restart index
            let mut misses = self.match_label(
                &mut asm,
                label,
                &enum_class,
                bootstrap.method == "enumSwitch",
            )?;
            asm.int(index as i32);
            asm.op(opcode::IRETURN);
            misses.push(earlier);
            for miss in misses {
                asm.land(miss);
            }
        }
        asm.int(bootstrap.arguments.len() as i32);
        asm.op(opcode::IRETURN);
        let code = asm.code(2, 4);
        self.stub("Switch", &bootstrap.descriptor, code, asm.pool)
    }

    /// Emits the test of one label; returns the jumps taken when it does not match.
    fn match_label(
        &mut self,
        asm: &mut Assembler,
        label: &Argument,
        enum_class: &str,
        is_enum: bool,
    ) -> Step<Vec<usize>> {
        let mut misses = Vec::new();
        match label {
            Argument::Class(name) => {
                let class = self.load(name)?;
                asm.load(Kind::Ref, 0);
                asm.with(opcode::INSTANCEOF, SynthConst::Class(class));
                misses.push(asm.jump(opcode::IFEQ));
            }
            Argument::String(text) if is_enum => {
                let class = self.load(enum_class)?;
                let name = self.method_of(class, "name", "()Ljava/lang/String;")?;
                asm.with(opcode::LDC_W, SynthConst::String(text.clone()));
                asm.load(Kind::Ref, 0);
                asm.with(
                    opcode::INVOKEVIRTUAL,
                    SynthConst::Method(name, "()Ljava/lang/String;".into()),
                );
                misses.push(self.equals_or_jump(asm)?);
            }
            Argument::String(text) => {
                asm.with(opcode::LDC_W, SynthConst::String(text.clone()));
                asm.load(Kind::Ref, 0);
                misses.push(self.equals_or_jump(asm)?);
            }
            Argument::Int(value) => {
                let class = self.load("java/lang/Integer")?;
                let value_of = self.method_of(class, "valueOf", "(I)Ljava/lang/Integer;")?;
                asm.int(*value);
                asm.with(
                    opcode::INVOKESTATIC,
                    SynthConst::Method(value_of, "(I)Ljava/lang/Integer;".into()),
                );
                asm.load(Kind::Ref, 0);
                misses.push(self.equals_or_jump(asm)?);
            }
            other => {
                return Err(Trap::unknown(format!(
                    "a switch label {other:?} is not supported"
                )));
            }
        }
        Ok(misses)
    }

    fn equals_or_jump(&mut self, asm: &mut Assembler) -> Step<usize> {
        let class = self.known.object;
        let descriptor = "(Ljava/lang/Object;)Z";
        let equals = self.method_of(class, "equals", descriptor)?;
        asm.with(
            opcode::INVOKEVIRTUAL,
            SynthConst::Method(equals, descriptor.into()),
        );
        Ok(asm.jump(opcode::IFEQ))
    }
}
