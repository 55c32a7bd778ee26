//! String concatenation: a chain of `StringBuilder.append`.

use super::{Argument, Bootstrap};
use crate::class::synth::{Assembler, SynthConst, opcode};
use crate::class::{ClassId, MethodId};
use crate::descriptor;
use crate::trap::{Step, Trap};
use crate::value::Kind;
use crate::vm::Vm;

const BUILDER: &str = "java/lang/StringBuilder";
const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

impl Vm {
    pub(super) fn link_concat(
        &mut self,
        _caller: ClassId,
        bootstrap: &Bootstrap,
    ) -> Step<MethodId> {
        let parts = descriptor::split(&bootstrap.descriptor)?;
        let params = &parts[..parts.len() - 1];
        let (recipe, mut constants) = match &bootstrap.arguments[..] {
            [Argument::String(recipe), rest @ ..] => (recipe.clone(), rest.iter()),
            _ => (vec![ARGUMENT; params.len()], [].iter()),
        };
        let builder = self.load(BUILDER)?;
        self.ensure_init(builder)?;
        let mut asm = Assembler::default();
        let init = self.method_of(builder, "<init>", "()V")?;
        asm.with(opcode::NEW, SynthConst::Class(builder));
        asm.op(opcode::DUP);
        asm.with(
            opcode::INVOKESPECIAL,
            SynthConst::Method(init, "()V".into()),
        );
        let mut literal: Vec<u16> = Vec::new();
        let (mut params, mut local) = (params.iter(), 0);
        for unit in recipe {
            match unit {
                ARGUMENT => {
                    self.append_literal(&mut asm, builder, &mut literal)?;
                    let param = params
                        .next()
                        .ok_or_else(|| Trap::unknown("a recipe with too many arguments"))?;
                    let kind = Kind::of(param);
                    asm.load(kind, local);
                    local += kind.words();
                    self.append(&mut asm, builder, param)?;
                }
                CONSTANT => match constants.next() {
                    Some(Argument::String(text)) => literal.extend(text),
                    Some(Argument::Int(value)) => literal.extend(value.to_string().encode_utf16()),
                    _ => return Err(Trap::unknown("a recipe with an unusual constant")),
                },
                unit => literal.push(unit),
            }
        }
        self.append_literal(&mut asm, builder, &mut literal)?;
        let to_string = self.method_of(builder, "toString", "()Ljava/lang/String;")?;
        asm.with(
            opcode::INVOKEVIRTUAL,
            SynthConst::Method(to_string, "()Ljava/lang/String;".into()),
        );
        asm.op(opcode::ARETURN);
        let code = asm.code(local, 6);
        self.stub("Concat", &bootstrap.descriptor, code, asm.pool)
    }

    fn append_literal(
        &mut self,
        asm: &mut Assembler,
        builder: ClassId,
        literal: &mut Vec<u16>,
    ) -> Step<()> {
        if literal.is_empty() {
            return Ok(());
        }
        asm.with(opcode::LDC_W, SynthConst::String(std::mem::take(literal)));
        self.append(asm, builder, "Ljava/lang/String;")
    }

    fn append(&mut self, asm: &mut Assembler, builder: ClassId, param: &str) -> Step<()> {
        let param = match Kind::of(param) {
            Kind::Byte | Kind::Short => "I",
            Kind::Ref if param != "Ljava/lang/String;" => "Ljava/lang/Object;",
            _ => param,
        };
        let text = format!("({param})Ljava/lang/StringBuilder;");
        let method = self.method_of(builder, "append", &text)?;
        asm.with(
            opcode::INVOKEVIRTUAL,
            SynthConst::Method(method, text.into()),
        );
        Ok(())
    }
}
