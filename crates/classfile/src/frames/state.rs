//! The types of locals and operand stack at one point of the simulation.

use crate::error::ErrorKind;
use crate::frames::VType;

/// Locals and stack in slots; the second slot of a long or double is `TOP`.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) locals: Vec<VType>,
    pub(crate) stack: Vec<VType>,
    /// The deepest stack seen.
    pub(crate) max_stack: usize,
}

pub(crate) type StepResult<T = ()> = Result<T, ErrorKind>;

const UNDERFLOW: ErrorKind = ErrorKind::Flow("operand stack underflow");

impl State {
    #[inline]
    pub(crate) fn push(&mut self, ty: VType) {
        self.stack.push(ty);
        if ty.is_wide() {
            self.stack.push(VType::TOP);
        }
        self.max_stack = self.max_stack.max(self.stack.len());
    }

    /// Pushes one slot as it is.
    #[inline]
    fn push_slot(&mut self, ty: VType) {
        self.stack.push(ty);
        self.max_stack = self.max_stack.max(self.stack.len());
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> StepResult<VType> {
        self.stack.pop().ok_or(UNDERFLOW)
    }

    #[inline]
    pub(crate) fn drop(&mut self, slots: usize) -> StepResult {
        match self.stack.len().checked_sub(slots) {
            Some(rest) => {
                self.stack.truncate(rest);
                Ok(())
            }
            None => Err(UNDERFLOW),
        }
    }

    /// Copies the top `slots` slots to `below` slots under them.
    pub(crate) fn dup(&mut self, slots: usize, below: usize) -> StepResult {
        let len = self.stack.len();
        let Some(to) = len.checked_sub(slots + below) else {
            return Err(UNDERFLOW);
        };
        for i in 0..slots {
            self.push_slot(self.stack[len - slots + i]);
        }
        // [to..len) moves up by `slots`; its old place takes the copies.
        self.stack[to..].rotate_right(slots);
        Ok(())
    }

    pub(crate) fn swap(&mut self) -> StepResult {
        match self.stack.as_mut_slice() {
            [.., a, b] => {
                std::mem::swap(a, b);
                Ok(())
            }
            _ => Err(UNDERFLOW),
        }
    }

    #[inline]
    pub(crate) fn local(&self, index: u16) -> VType {
        self.locals
            .get(usize::from(index))
            .copied()
            .unwrap_or(VType::TOP)
    }

    /// Stores into a local; a long or double that it cuts in half is gone.
    #[inline]
    pub(crate) fn store(&mut self, index: u16, ty: VType) {
        let index = usize::from(index);
        if index > 0 && self.locals[index - 1].is_wide() {
            self.locals[index - 1] = VType::TOP;
        }
        self.locals[index] = ty;
        if ty.is_wide() {
            self.locals[index + 1] = VType::TOP;
        }
    }

    /// After a constructor call: every copy of the object is now an instance.
    pub(crate) fn initialize(&mut self, from: VType, to: VType) {
        for ty in self.locals.iter_mut().chain(&mut self.stack) {
            if *ty == from {
                *ty = to;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplications_follow_the_specification() {
        let [a, b, c, d] = [
            VType::INTEGER,
            VType::FLOAT,
            VType::NULL,
            VType::JAVA_OBJECT,
        ];
        let run = |stack: &[VType], slots, below| {
            let mut state = State {
                stack: stack.to_vec(),
                ..State::default()
            };
            state.dup(slots, below).unwrap();
            state.stack
        };
        assert_eq!(run(&[a], 1, 0), [a, a]);
        assert_eq!(run(&[b, a], 1, 1), [a, b, a]);
        assert_eq!(run(&[c, b, a], 1, 2), [a, c, b, a]);
        assert_eq!(run(&[b, a], 2, 0), [b, a, b, a]);
        assert_eq!(run(&[c, b, a], 2, 1), [b, a, c, b, a]);
        assert_eq!(run(&[d, c, b, a], 2, 2), [b, a, d, c, b, a]);
    }
}
