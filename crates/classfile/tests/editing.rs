//! Edits with a known outcome: long jumps, size limits, removal, import, members.

mod common;

use braid_classfile::{
    AccessFlags, ClassFile, ClassTable, Code, Editor, ErrorKind, Frames, Importer, Insn, JStr, Op,
    Operand, Switch, TryRange, new_class,
};
use common::{fixture, fixtures, hierarchy};

fn empty_class() -> Vec<u8> {
    new_class(61, AccessFlags::PUBLIC, "T", Some("java/lang/Object")).unwrap()
}

/// A class whose one static method `f(I)I` has this code.
fn with_method(
    frames: Frames<'_>,
    build: impl FnOnce(&mut Code, &mut Editor<'_>),
) -> Result<Vec<u8>, braid_classfile::Error> {
    let bytes = empty_class();
    let class = ClassFile::parse(&bytes)?;
    let mut editor = Editor::new(&class);
    let access = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
    let method = editor.add_method(access, "f", "(I)I")?;
    let mut code = Code::default();
    build(&mut code, &mut editor);
    editor.write_code(method, &mut code, frames)?;
    editor.finish()
}

#[test]
fn a_conditional_jump_over_32_kb_is_inverted_around_a_wide_goto() {
    let table = ClassTable::new();
    let bytes = with_method(Frames::Recompute(&table), |code, _| {
        let (end, start) = (code.new_label(), code.new_label());
        code.insns.extend([
            Insn::Label(start),
            Insn::Local(Op::Iload, 0),
            Insn::Jump(Op::Ifeq, end),
        ]);
        code.insns.extend(vec![Insn::Iinc(0, 1); 12_000]);
        code.insns.extend([
            Insn::Jump(Op::Goto, start),
            Insn::Label(end),
            Insn::Local(Op::Iload, 0),
            Insn::Plain(Op::Ireturn),
        ]);
    })
    .unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.method("f", "(I)I").unwrap().code().unwrap().unwrap();
    let all: Vec<_> = code.instructions().map(|i| i.unwrap()).collect();
    assert_eq!([all[1].op, all[2].op], [Op::Ifne, Op::GotoW]);
    assert_eq!(all[1].operand, Operand::Jump(i64::from(all[3].pc)));
    assert_eq!(
        all[2].operand,
        Operand::Jump(i64::from(all[all.len() - 2].pc))
    );
    assert_eq!(all[all.len() - 3].op, Op::GotoW);
    // The wide goto makes the next instruction a branch target, which needs a frame.
    assert_eq!(code.stack_map_table().unwrap().unwrap().len(), 3);
}

#[test]
fn switch_padding_follows_the_code_offset() {
    for nops in 0..4 {
        let table = ClassTable::new();
        let bytes = with_method(Frames::Recompute(&table), |code, _| {
            let (a, b) = (code.new_label(), code.new_label());
            code.insns = vec![Insn::Plain(Op::Nop); nops];
            let switch = code.switch(vec![(1, a), (2, b), (3, a)], b);
            code.insns
                .extend([Insn::Local(Op::Iload, 0), switch, Insn::Label(a)]);
            code.insns
                .extend([Insn::Plain(Op::Iconst1), Insn::Plain(Op::Ireturn)]);
            code.insns
                .extend([Insn::Label(b), Insn::Plain(Op::Iconst2)]);
            code.insns.push(Insn::Plain(Op::Ireturn));
        })
        .unwrap();
        let class = ClassFile::parse(&bytes).unwrap();
        let code = class.method("f", "(I)I").unwrap().code().unwrap().unwrap();
        let switch = code
            .instructions()
            .map(|i| i.unwrap())
            .find(|i| i.op == Op::Tableswitch);
        let Operand::TableSwitch(switch) = switch.unwrap().operand else {
            panic!("no switch")
        };
        let ends: Vec<_> = code.instructions().map(|i| i.unwrap()).collect();
        let (a, b) = (i64::from(ends[nops + 2].pc), i64::from(ends[nops + 4].pc));
        assert_eq!(switch.targets().collect::<Vec<_>>(), [a, b, a]);
        assert_eq!((switch.default, switch.low, switch.high()), (b, 1, 3));
    }
}

#[test]
fn code_beyond_64_kb_is_an_error_value() {
    let table = ClassTable::new();
    let error = with_method(Frames::Recompute(&table), |code, _| {
        code.insns = vec![Insn::Plain(Op::Nop); 70_000];
        code.insns
            .extend([Insn::Plain(Op::Iconst0), Insn::Plain(Op::Ireturn)]);
    })
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::CodeSize { size: 70_002 });
}

#[test]
fn mistakes_in_the_model_are_errors() {
    let table = ClassTable::new();
    let error = |build: &dyn Fn(&mut Code)| {
        let made = with_method(Frames::Recompute(&table), |code, _| build(code));
        made.unwrap_err().kind
    };
    let flow = |kind: ErrorKind| matches!(kind, ErrorKind::Flow(_));
    assert!(flow(error(&|code| code.insns = vec![Insn::Plain(Op::Pop)])));
    assert!(flow(error(&|code| code.insns = vec![Insn::Plain(Op::Nop)])));
    assert!(flow(error(
        &|code| code.insns = vec![Insn::Local(Op::Aload, 0)]
    )));
    assert!(matches!(
        error(&|code| {
            let label = code.new_label();
            code.insns = vec![Insn::Jump(Op::Goto, label)];
        }),
        ErrorKind::Label(0)
    ));
    assert!(matches!(
        error(&|code| {
            let label = code.new_label();
            code.insns = vec![
                Insn::Label(label),
                Insn::Label(label),
                Insn::Plain(Op::Return),
            ];
        }),
        ErrorKind::Label(0)
    ));
    assert!(matches!(
        error(&|code| {
            let label = code.new_label();
            code.insns = vec![
                Insn::Local(Op::Iload, 0),
                Insn::Jump(Op::Ifeq, label),
                Insn::Plain(Op::Iconst0),
                Insn::Label(label),
                Insn::Plain(Op::Iconst0),
                Insn::Plain(Op::Ireturn),
            ];
        }),
        ErrorKind::Conflict(_)
    ));
    assert!(matches!(
        error(&|code| code.insns = vec![Insn::Switch(3)]),
        ErrorKind::Encode(_)
    ));
    assert!(matches!(
        error(&|code| code.insns = vec![Insn::Plain(Op::Iload)]),
        ErrorKind::Encode(_) | ErrorKind::Flow(_)
    ));
}

#[test]
fn dead_code_goes_with_its_handler() {
    let table = ClassTable::new();
    let bytes = with_method(Frames::Recompute(&table), |code, _| {
        let [start, end, handler] = [(); 3].map(|()| code.new_label());
        code.insns = vec![
            Insn::Plain(Op::Iconst0),
            Insn::Plain(Op::Ireturn),
            Insn::Label(start),
            Insn::Plain(Op::Nop),
            Insn::Plain(Op::Iconst1),
            Insn::Plain(Op::Ireturn),
            Insn::Label(end),
            Insn::Label(handler),
            Insn::Plain(Op::Athrow),
        ];
        code.tries.push(TryRange {
            start,
            end,
            handler,
            catch_type: 0,
        });
    })
    .unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.method("f", "(I)I").unwrap().code().unwrap().unwrap();
    assert_eq!(code.bytes, [Op::Iconst0 as u8, Op::Ireturn as u8]);
    assert!(code.exceptions.is_empty());
}

#[test]
fn every_method_of_a_class_moves_into_another() {
    let table = hierarchy(&[]);
    for bytes in fixtures() {
        let class = ClassFile::parse(&bytes).unwrap();
        let target = new_class(61, class.access(), class.name(), Some("java/lang/Object")).unwrap();
        let target = ClassFile::parse(&target).unwrap();
        let (mut from, mut to) = (Editor::new(&class), Editor::new(&target));
        let mut importer = Importer::new(&class).unwrap();
        let mut code = Code::default();
        for (position, method) in class.methods().enumerate() {
            if from.read_code(position, &mut code).unwrap() {
                importer.code(&mut to, &mut code).unwrap();
                let added = to.add_method(method.access(), method.name(), method.descriptor());
                to.write_code(added.unwrap(), &mut code, Frames::Recompute(&table))
                    .unwrap();
            }
        }
        let written = to.finish().unwrap();
        let copy = ClassFile::parse(&written).unwrap();
        for method in class.methods().filter(|m| m.code().unwrap().is_some()) {
            let same = copy
                .methods()
                .find(|m| (m.name(), m.descriptor()) == (method.name(), method.descriptor()));
            let (a, b) = (
                method.code().unwrap().unwrap(),
                same.unwrap().code().unwrap().unwrap(),
            );
            let ops = |code: braid_classfile::CodeAttribute<'_>| {
                let ops = code.instructions().map(|i| i.unwrap().op);
                let ldc = |op| if op == Op::LdcW { Op::Ldc } else { op };
                ops.map(ldc).collect::<Vec<_>>()
            };
            assert_eq!(ops(a), ops(b), "{method:?}");
        }
    }
}

#[test]
fn members_are_added_changed_and_removed() {
    let bytes = fixture("Shapes");
    let class = ClassFile::parse(&bytes).unwrap();
    let mut editor = Editor::new(&class);
    let position = |name: &str| class.methods().position(|m| m.name() == name).unwrap();
    editor.remove_method(position("arrays")).unwrap();
    editor
        .rename_method(position("pattern"), "renamed")
        .unwrap();
    editor
        .set_method_access(position("choose"), AccessFlags::FINAL)
        .unwrap();
    editor.add_field(AccessFlags::STATIC, "extra", "J").unwrap();
    editor.add_interface("java/lang/Cloneable").unwrap();
    editor.set_attribute("SourceFile", None).unwrap();
    editor.remove_field(0).unwrap();
    let written = editor.finish().unwrap();
    let edited = ClassFile::parse(&written).unwrap();
    assert!(
        edited
            .methods()
            .all(|m| m.name() != "arrays" && m.name() != "pattern")
    );
    assert!(edited.methods().any(|m| m.name() == "renamed"));
    assert!(
        edited
            .method("choose", "(Ljava/lang/Object;I)I")
            .unwrap()
            .access()
            .is_final()
    );
    assert!(edited.field("extra", "J").is_some());
    assert_eq!(edited.fields().len(), class.fields().len());
    assert_eq!(
        edited.interfaces().last(),
        Some(JStr::from("java/lang/Cloneable"))
    );
    assert!(edited.attribute("SourceFile").unwrap().is_none());
    // Everything else keeps its index.
    assert!(edited.pool().count() > class.pool().count());
    for index in class.pool().indices() {
        assert_eq!(edited.pool().get(index), class.pool().get(index));
    }
}

#[test]
fn lookup_switches_stay_where_a_table_would_be_larger() {
    let mut code = Code::default();
    let label = code.new_label();
    code.switch(vec![(0, label), (1000, label)], label);
    code.switch((0..5).map(|key| (key, label)).collect(), label);
    let ops: Vec<_> = code.switches.iter().map(Switch::op).collect();
    assert_eq!(ops, [Op::Lookupswitch, Op::Tableswitch]);
}

#[test]
fn a_loop_without_frame_or_line_gets_its_label_when_read() {
    let bytes = with_method(Frames::Maxs, |code, _| {
        let [start, end] = [code.new_label(), code.new_label()];
        code.insns.push(Insn::Plain(Op::Nop));
        code.insns.push(Insn::Label(start));
        let switch = code.switch(vec![(7, start)], end);
        code.insns.extend([
            Insn::Iinc(0, 1),
            Insn::Local(Op::Iload, 0),
            Insn::Jump(Op::Iflt, start),
            Insn::Local(Op::Iload, 0),
            switch,
            Insn::Label(end),
            Insn::Plain(Op::Iconst0),
            Insn::Plain(Op::Ireturn),
        ]);
    })
    .unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    assert!(editor.read_code(0, &mut code).unwrap());
    assert_eq!(code.switches.len(), 1);
    let Insn::Label(start) = code.insns[1] else {
        panic!("{:?}", code.insns);
    };
    assert_eq!(code.insns[4], Insn::Jump(Op::Iflt, start));
    editor.write_code(0, &mut code, Frames::Keep).unwrap();
    assert_eq!(editor.finish().unwrap(), bytes);
    // The next method's labels start anew.
    let mut editor = Editor::new(&class);
    let mut again = Code::default();
    editor.read_code(0, &mut again).unwrap();
    editor.read_code(0, &mut again).unwrap();
    assert_eq!(again, code);
}

#[test]
fn the_stack_is_deep_enough_for_code_that_nothing_reaches() {
    let bytes = with_method(Frames::Maxs, |code, _| {
        let [dead, end] = [code.new_label(), code.new_label()];
        code.frames.push(dead, &[], &[]);
        code.frames.push(end, &[], &[]);
        code.insns.extend([
            Insn::Jump(Op::Goto, end),
            Insn::Label(dead),
            Insn::Plain(Op::Iconst1),
            Insn::Plain(Op::Iconst2),
            Insn::Plain(Op::Iadd),
            Insn::Plain(Op::Ireturn),
            Insn::Label(end),
            Insn::Plain(Op::Iconst0),
            Insn::Plain(Op::Ireturn),
        ]);
    })
    .unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let mut code = Code::default();
    Editor::new(&class).read_code(0, &mut code).unwrap();
    assert_eq!(code.max_stack, 2);
}
