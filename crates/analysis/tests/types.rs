//! Types and statement boundaries of every method of a part of the JDK.

use braid_analysis::{ClassId, MethodTypes, Type, TypeState, World, statement_starts};
use braid_classfile::{ClassFile, CodeAttribute, JStr, Member, Op, Operand};
use braid_classpath::ClassPath;

fn world() -> World {
    let mut path = ClassPath::new();
    path.add_jdk(&braid_subjects::jdk()).expect("a JDK");
    World::load(&path).expect("the JDK's classes")
}

fn methods(
    world: &World,
    mut each: impl FnMut(&str, &ClassFile<'_>, Member<'_>, CodeAttribute<'_>),
) {
    for class in (0..world.class_count() as u32).map(ClassId) {
        if !world
            .class_name(class)
            .as_bytes()
            .starts_with(b"java/util/")
        {
            continue;
        }
        let file = world.file(class);
        for method in file.methods() {
            if let Some(code) = method.code().expect("valid code") {
                let name = format!("{}.{}{}", file.name(), method.name(), method.descriptor());
                each(&name, &file, method, code);
            }
        }
    }
}

/// Assignment as the verifier sees it: interfaces are as good as `java/lang/Object`.
fn is_assignable(world: &World, from: &Type, to: &Type) -> bool {
    match (from, to) {
        (_, Type::Top) => true,
        (Type::Null, Type::Object(_)) => true,
        (Type::Object(from), Type::Object(to)) => name_fits(world, from, to),
        _ => from == to,
    }
}

fn name_fits(world: &World, from: &[u8], to: &[u8]) -> bool {
    if from == to || to == b"java/lang/Object" {
        return true;
    }
    let class = |name: &[u8]| world.class(JStr::new(name));
    match (from, to) {
        ([b'[', from @ ..], [b'[', to @ ..]) => match (from, to) {
            ([b'L', from @ .., b';'], [b'L', to @ .., b';']) => name_fits(world, from, to),
            ([b'[', ..], [b'L', to @ .., b';']) => name_fits(world, from, to),
            ([b'[', ..], [b'[', ..]) => name_fits(world, from, to),
            _ => false,
        },
        ([b'[', ..], to) => class(to).is_some_and(|c| world.is_interface(c)),
        (_, [b'[', ..]) => false,
        (from, to) => {
            let (Some(from), Some(to)) = (class(from), class(to)) else {
                return false;
            };
            world.is_interface(to) || world.is_subtype(from, to)
        }
    }
}

fn fits(world: &World, state: &TypeState, frame: &TypeState) -> bool {
    let unusable = Type::Top;
    let locals = frame.locals.iter().enumerate();
    state.stack.len() == frame.stack.len()
        && (state.stack.iter().zip(&frame.stack)).all(|(a, b)| is_assignable(world, a, b))
        && locals
            .map(|(i, to)| (state.locals.get(i).unwrap_or(&unusable), to))
            .all(|(from, to)| is_assignable(world, from, to))
}

#[test]
fn the_state_that_falls_or_jumps_into_a_frame_is_assignable_to_it() {
    let world = world();
    let (mut fallen, mut jumped) = (0, 0);
    methods(&world, |name, file, method, code| {
        let types = MethodTypes::new(file, method, code).expect(name);
        for (at, frame, state) in types.frames() {
            if let Some(state) = state {
                fallen += 1;
                assert!(
                    fits(&world, state, frame),
                    "{name} at {at}: {state:?} into {frame:?}"
                );
            }
        }
        let instructions: Vec<_> = code.instructions().map(|i| i.expect(name)).collect();
        for (i, instruction) in instructions.iter().enumerate() {
            // The state after `goto` is the one before it.
            if let (Op::Goto, Operand::Jump(target)) = (instruction.op, instruction.operand) {
                let target = instructions.binary_search_by_key(&target, |i| i.pc.into());
                let target = target.expect("a target") as u32;
                let (Some(from), Some(to)) = (types.before(i as u32), types.before(target)) else {
                    continue;
                };
                jumped += 1;
                assert!(fits(&world, from, to), "{name} from {i} to {target}");
            }
        }
    });
    assert!(fallen > 5_000, "only {fallen} frames compared");
    assert!(jumped > 5_000, "only {jumped} jumps compared");
}

#[test]
fn no_stack_is_deeper_than_the_class_file_says_and_reached_code_has_types() {
    let world = world();
    methods(&world, |name, file, method, code| {
        let types = MethodTypes::new(file, method, code).expect(name);
        for i in 0..types.len() as u32 {
            // javac leaves no unreachable code, so every instruction has a state.
            let state = types
                .before(i)
                .unwrap_or_else(|| panic!("{name} has no types at {i}"));
            assert!(state.stack.len() <= code.max_stack.into(), "{name} at {i}");
            assert!(
                state.locals.len() <= code.max_locals.into(),
                "{name} at {i}"
            );
        }
    });
}

#[test]
fn what_pops_is_no_statement_start_and_most_stores_end_a_statement() {
    let world = world();
    let (mut ends, mut inside) = (0, 0);
    methods(&world, |name, file, method, code| {
        let starts = statement_starts(file, method, code).expect(name);
        assert_eq!(
            starts.first(),
            Some(&0),
            "{name}: a method begins with an empty stack"
        );
        let instructions: Vec<_> = code.instructions().map(|i| i.expect(name)).collect();
        for (i, instruction) in instructions.iter().enumerate() {
            let is_start = starts.binary_search(&(i as u32)).is_ok();
            // What pops needs something to be there; a void return does not.
            if instruction.op.pop_slots().is_some_and(|slots| slots > 0) {
                assert!(!is_start, "{name} at {i}");
            }
            if instruction.op.is_store() || instruction.op == Op::Iinc {
                // A value may lie below what is stored (`a[i = 1]`), but most stores are statements.
                let next = starts.binary_search(&(i as u32 + 1)).is_ok();
                ends += usize::from(next);
                inside += usize::from(!next);
            }
        }
    });
    assert!(
        ends > 10_000 && inside * 4 < ends,
        "{ends} stores end a statement, {inside} do not"
    );
}
