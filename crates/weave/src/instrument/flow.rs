//! The shape of a method's control flow: which labels are jumped to, and from where.

use braid_classfile::{Code, Insn, Label};

/// Facts about the labels of a method.
pub(super) struct Flow {
    /// Where each label stands.
    pub(super) positions: Vec<usize>,
    /// A jump, switch or handler leads here.
    pub(super) target: Vec<bool>,
    /// A jump or switch leads here from behind.
    pub(super) loops: Vec<bool>,
}

impl Flow {
    pub(super) fn of(code: &Code) -> Flow {
        let positions = code.positions();
        let mut flow = Flow {
            target: vec![false; positions.len()],
            loops: vec![false; positions.len()],
            positions,
        };
        for (position, insn) in code.insns.iter().enumerate() {
            match insn {
                Insn::Jump(_, label) => flow.jump(*label, position),
                Insn::Switch(number) => {
                    if let Some(switch) = code.switches.get(*number as usize) {
                        switch
                            .targets()
                            .for_each(|label| flow.jump(label, position));
                    }
                }
                _ => {}
            }
        }
        for range in &code.tries {
            if let Some(target) = flow.target.get_mut(range.handler.0 as usize) {
                *target = true;
            }
        }
        flow
    }

    fn jump(&mut self, label: Label, from: usize) {
        let at = label.0 as usize;
        if at < self.positions.len() {
            self.target[at] = true;
            self.loops[at] |= self.positions[at] <= from;
        }
    }

    pub(super) fn position(&self, label: Label) -> usize {
        let position = self.positions.get(label.0 as usize);
        position.copied().unwrap_or(usize::MAX)
    }

    pub(super) fn is_target(&self, label: Label) -> bool {
        self.target.get(label.0 as usize) == Some(&true)
    }
}
