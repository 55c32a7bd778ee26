//! Control flow and liveness of every method of a part of the JDK, against the definitions.

use braid_analysis::{Cfg, Dominators, Liveness, locals_of};
use braid_classfile::ClassFile;
use braid_classpath::JdkImage;

/// Calls `each` with the code of every method of the classes whose name begins with `prefix`.
fn methods(prefix: &str, mut each: impl FnMut(&str, braid_classfile::CodeAttribute<'_>)) {
    let image = JdkImage::open(&braid_subjects::jdk()).expect("a JDK image");
    for (name, resource) in image.classes().filter(|(name, _)| name.starts_with(prefix)) {
        let bytes = image.read(&resource).expect("a readable class");
        let class = ClassFile::parse(&bytes).expect("a valid class");
        for method in class.methods() {
            if let Some(code) = method.code().expect("valid code") {
                each(
                    &format!("{name}.{}{}", method.name(), method.descriptor()),
                    code,
                );
            }
        }
    }
}

#[test]
fn blocks_hold_each_instruction_once_and_edges_are_those_of_the_instructions() {
    let mut count = 0;
    methods("java/util/", |name, code| {
        let cfg = Cfg::new(code).expect(name);
        count += 1;
        let mut next = 0;
        for block in &cfg.blocks {
            assert_eq!(block.first, next, "{name}");
            next = block.end;
        }
        assert_eq!(next as usize, cfg.instructions.len(), "{name}");
        for (i, instruction) in cfg.instructions.iter().enumerate() {
            let i = i as u32;
            let block = cfg.block_of(i);
            let mut targets: Vec<u32> = (instruction.operand.targets().iter())
                .map(|&pc| cfg.index_at(pc as u32).expect("a target"))
                .collect();
            if !instruction.op.ends_block() && (i as usize) + 1 < cfg.instructions.len() {
                targets.push(i + 1);
            }
            for target in targets {
                let to = cfg.block_of(target);
                let inside = to == block && target == i + 1;
                let edge = cfg.blocks[to as usize].first == target
                    && cfg.normal.successors(block).contains(&to);
                assert!(inside || edge, "{name}: {} to {target}", instruction.pc);
            }
        }
        for entry in code.exceptions.iter() {
            let handler = cfg.block_of(cfg.index_at(entry.handler_pc.into()).expect("a handler"));
            for (i, instruction) in cfg.instructions.iter().enumerate() {
                if (u32::from(entry.start_pc)..u32::from(entry.end_pc)).contains(&instruction.pc) {
                    assert!(
                        cfg.exceptional
                            .successors(cfg.block_of(i as u32))
                            .contains(&handler),
                        "{name}"
                    );
                }
            }
        }
        assert!(Dominators::new(&cfg.all, 0).reaches(0));
    });
    assert!(count > 5000, "only {count} methods seen");
}

/// A local is live if a path of instructions leads to a read of it before a write: found by search.
fn live_by_search(cfg: &Cfg<'_>, at: u32, local: u16) -> bool {
    let mut seen = vec![false; cfg.instructions.len()];
    let mut work = vec![at];
    while let Some(i) = work.pop() {
        if std::mem::replace(&mut seen[i as usize], true) {
            continue;
        }
        let block = cfg.block_of(i);
        let handlers = cfg
            .exceptional
            .successors(block)
            .iter()
            .map(|&h| cfg.blocks[h as usize].first);
        work.extend(handlers);
        let (written, read) = locals_of(&cfg.instructions[i as usize]);
        if read.contains(&local) {
            return true;
        }
        if written.contains(&local) {
            continue;
        }
        if i + 1 < cfg.blocks[block as usize].end {
            work.push(i + 1);
        } else {
            work.extend(
                cfg.normal
                    .successors(block)
                    .iter()
                    .map(|&b| cfg.blocks[b as usize].first),
            );
        }
    }
    false
}

#[test]
fn a_local_is_live_where_a_path_leads_to_a_read_before_a_write() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut checked = 0;
    methods("java/util/", |name, code| {
        if code.max_locals == 0 || code.bytes.len() > 2000 {
            return;
        }
        let cfg = Cfg::new(code).expect(name);
        let live = Liveness::new(&cfg, code.max_locals);
        let reached = cfg.all.reachable(&[0]);
        for _ in 0..6 {
            let at = rng.u32(0..cfg.instructions.len() as u32);
            let local = rng.u16(0..code.max_locals);
            if reached[cfg.block_of(at) as usize] {
                checked += 1;
                assert_eq!(
                    live.before(at, local),
                    live_by_search(&cfg, at, local),
                    "{name} {at} {local}"
                );
            }
        }
    });
    assert!(checked > 10_000, "only {checked} places checked");
}
