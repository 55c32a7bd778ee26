//! The general loop over the register form: every instruction, whatever its operands are.
//!
//! It hands over to the [quick loop](super::quick) before each instruction and takes what that one leaves.

use super::Done;
use super::decide::Left;
use super::quick::Frame;
use super::raise::Flow;
use crate::code::op::{Code, Op};
use crate::trap::Trap;
use crate::value::{Kind, Slot, as_int, as_ref, int, is_choice};
use crate::vm::{Call, Vm, WINDOW};
use std::cell::Cell;
use std::rc::Rc;

impl Vm {
    /// Runs a method whose arguments are in place at `base`, in the current context.
    pub(crate) fn run(&mut self, code: &Rc<Code>, base: usize, stack: &[Cell<Slot>]) -> Done {
        let Some(regs) = stack
            .get(base..)
            .and_then(|rest| rest.first_chunk::<WINDOW>())
        else {
            return self.overflow();
        };
        let frame = Frame {
            code,
            regs,
            stack,
            top: base + usize::from(code.regs),
        };
        self.top = frame.top;
        let pc = self.quick(&frame, &code.ops, 0);
        match code.ops[pc].get() {
            Op::Return { s } => Done::Value(regs[usize::from(s)].get()),
            Op::ReturnVoid => Done::Value(0),
            _ => self.run_on(&frame, pc),
        }
    }

    /// Runs on at an instruction that the quick loop has left.
    #[inline(never)]
    fn run_on(&mut self, frame: &Frame<'_>, mut pc: usize) -> Done {
        let Frame {
            code,
            regs,
            stack,
            top,
        } = *frame;
        let entry = self.ctx;
        let mut multi: Option<usize> = None;
        let ops = &code.ops[..];
        // The instructions that the running state may reach before it must look at the waiting ones.
        let mut active = ops;

        macro_rules! r {
            ($reg:expr) => {
                regs[$reg as usize].get()
            };
        }
        macro_rules! w {
            ($reg:expr, $value:expr) => {
                regs[$reg as usize].set($value)
            };
        }
        'run: loop {
            if self.outcome.is_none() {
                pc = self.quick(frame, active, pc);
            }
            let op = match active.get(pc) {
                Some(op) => op.get(),
                None => {
                    match self.schedule(code, multi, regs, Some(pc)) {
                        Ok(next) => pc = next.expect("a state is running"),
                        Err(trap) => return self.give_up(entry, multi, trap),
                    }
                    active = self.active(ops, multi);
                    ops[pc].get()
                }
            };
            let trap: Trap = 'op: {
                macro_rules! attempt {
                    ($step:expr) => {
                        match $step {
                            Ok(value) => value,
                            Err(trap) => break 'op trap,
                        }
                    };
                }
                macro_rules! jump {
                    ($t:expr) => {{
                        let target = $t as usize;
                        if target <= pc {
                            attempt!(self.tick());
                        }
                        pc = target;
                        continue 'run;
                    }};
                }
                macro_rules! leave {
                    ($value:expr) => {{
                        let value = $value;
                        if multi.is_none() {
                            return Done::Value(value);
                        }
                        attempt!(self.add_return(&mut multi, value));
                        match self.next_state(code, entry, multi, regs) {
                            Ok(next) => pc = next,
                            Err(done) => return done,
                        }
                        active = self.active(ops, multi);
                        continue 'run;
                    }};
                }
                macro_rules! element {
                    ($kind:ident, $d:expr, $a:expr, $i:expr) => {
                        w!($d, attempt!(self.array_load(Kind::$kind, r!($a), r!($i))))
                    };
                }
                macro_rules! store_element {
                    ($kind:ident, $a:expr, $i:expr, $s:expr) => {
                        attempt!(self.array_store(Kind::$kind, r!($a), r!($i), r!($s)))
                    };
                }
                macro_rules! call {
                    ($d:expr, $i:expr, $kind:ident) => {{
                        let done = match self.outcome.take() {
                            Some(done) => done,
                            None => {
                                let site = &code.sites[$i as usize];
                                let method = attempt!(self.$kind(site, regs));
                                self.calls.push(Call {
                                    method: code.method,
                                    pc: pc as u32,
                                });
                                let done = self.call_from(method, site, regs, top, stack);
                                self.calls.pop();
                                self.top = top;
                                done
                            }
                        };
                        match done {
                            Ok(Done::Value(value)) => w!($d, value),
                            Ok(done) => {
                                let flow =
                                    attempt!(self.after_call(code, &mut multi, regs, pc, $d, done));
                                match flow {
                                    Flow::Go(next) => pc = next,
                                    Flow::Dead => match self.next_state(code, entry, multi, regs) {
                                        Ok(next) => pc = next,
                                        Err(done) => return done,
                                    },
                                }
                                active = self.active(ops, multi);
                                continue 'run;
                            }
                            Err(trap) => break 'op trap,
                        }
                    }};
                }
                match op {
                    Op::Nop => {}
                    Op::Move { d, s } => w!(d, r!(s)),
                    Op::Const { d, k } => w!(d, int(k)),
                    Op::ConstWide { d, i } => {
                        let bits = code.wide[i as usize];
                        w!(d, attempt!(self.wide(bits)));
                    }
                    Op::LdcString { d, i } => w!(d, u64::from(attempt!(self.literal(i)))),
                    Op::Ldc { d, i } => w!(d, attempt!(self.load_constant(code, pc, d, i))),

                    Op::Div { op, d, a, b } => {
                        w!(d, attempt!(self.lift_divide(op, r!(a), r!(b))));
                    }
                    Op::Goto { t } => jump!(t),
                    Op::Switch { a, i } => {
                        let key = attempt!(self.switch_key(&code.switches[i as usize], r!(a)));
                        jump!(code.switches[i as usize].target(key));
                    }

                    Op::IALoad { d, a, i } => element!(Int, d, a, i),
                    Op::BALoad { d, a, i } => element!(Byte, d, a, i),
                    Op::CALoad { d, a, i } => element!(Char, d, a, i),
                    Op::SALoad { d, a, i } => element!(Short, d, a, i),
                    Op::WALoad { d, a, i } => element!(Long, d, a, i),
                    Op::IAStore { a, i, s } => store_element!(Int, a, i, s),
                    Op::BAStore { a, i, s } => store_element!(Byte, a, i, s),
                    Op::CAStore { a, i, s } => store_element!(Char, a, i, s),
                    Op::LAStore { a, i, s } => store_element!(Long, a, i, s),
                    Op::AAStore { a, i, s } => store_element!(Ref, a, i, s),
                    Op::ArrayLength { d, a } => w!(d, attempt!(self.array_length(r!(a)))),
                    Op::NewArray { d, n, kind } => {
                        let array = attempt!(self.new_primitive_array(kind, r!(n)));
                        w!(d, u64::from(array));
                    }
                    Op::ANewArray { d, n, i } => {
                        let class = attempt!(self.quicken_array(code, pc, d, n, i));
                        w!(d, u64::from(attempt!(self.new_array_checked(class, r!(n)))));
                    }
                    Op::ANewArrayQ { d, n, site } => {
                        let class = code.class_sites.borrow()[usize::from(site)];
                        w!(d, u64::from(attempt!(self.new_array_checked(class, r!(n)))));
                    }
                    Op::MultiNewArray { dims, d, i } => {
                        w!(d, attempt!(self.new_multi_array(code, regs, dims, d, i)));
                    }

                    Op::GetFieldQ { d, o, f } => {
                        w!(d, attempt!(self.get_field(r!(o), u32::from(f))));
                    }
                    Op::PutFieldQ { o, s, f } => {
                        attempt!(self.put_field(r!(o), u32::from(f), r!(s)));
                    }
                    Op::GetStaticQ { d, f } => w!(d, attempt!(self.get_static(f))),
                    Op::PutStaticQ { s, f } => attempt!(self.put_static(f, r!(s))),
                    Op::GetField { d, o, i } => {
                        attempt!(self.quicken_field(code, pc, i, |f| Op::GetFieldQ { d, o, f }));
                        continue 'run;
                    }
                    Op::PutField { o, s, i } => {
                        attempt!(self.quicken_field(code, pc, i, |f| Op::PutFieldQ { o, s, f }));
                        continue 'run;
                    }
                    Op::GetStatic { d, i } => {
                        let f =
                            attempt!(self.static_field(code, pc, i, |f| Op::GetStaticQ { d, f }));
                        w!(d, self.statics[f as usize]);
                    }
                    Op::PutStatic { s, i } => {
                        let f =
                            attempt!(self.static_field(code, pc, i, |f| Op::PutStaticQ { s, f }));
                        attempt!(self.put_static(f, r!(s)));
                    }

                    Op::InvokeVirtualQ { d, i } => call!(d, i, target_virtual),
                    Op::InvokeStaticQ { d, i } => call!(d, i, target_static),
                    Op::InvokeSpecialQ { d, i } => call!(d, i, target_special),
                    Op::InvokeInterfaceQ { d, i } => call!(d, i, target_interface),
                    Op::Invoke { d, i } => {
                        if attempt!(self.quicken_call(code, pc, d, i)) {
                            continue 'run;
                        }
                        call!(d, i, target_static);
                    }
                    Op::New { d, i } => {
                        let class = attempt!(self.quicken_new(code, pc, d, i));
                        w!(d, u64::from(attempt!(self.new_object(class))));
                    }
                    Op::NewQ { d, class } => w!(d, u64::from(attempt!(self.new_object(class)))),
                    Op::CheckCast { s, i } => {
                        if r!(s) != 0 {
                            let class = attempt!(self.pool_class(code.class, i));
                            code.ops[pc].set(Op::CheckCastQ { s, class });
                            continue 'run;
                        }
                    }
                    Op::CheckCastQ { s, class } => {
                        let object = r!(s);
                        if is_choice(object) {
                            attempt!(self.check_cast(object, class));
                        } else if object != 0
                            && !self.is_subclass(self.class_of(as_ref(object)), class)
                        {
                            break 'op self.cast_error(as_ref(object), class);
                        }
                    }
                    Op::InstanceOf { d, s, i } => {
                        attempt!(self.quicken_instance_of(code, pc, d, s, i));
                        continue 'run;
                    }
                    Op::InstanceOfQ { d, s, site } => {
                        let object = r!(s);
                        let class = code.class_sites.borrow()[usize::from(site)];
                        if is_choice(object) {
                            w!(d, attempt!(self.instance_of(object, class)));
                        } else {
                            let yes = object != 0
                                && self.is_subclass(self.class_of(as_ref(object)), class);
                            w!(d, u64::from(yes));
                        }
                    }
                    Op::MonitorEnter { s } | Op::MonitorExit { s } => {
                        attempt!(self.not_null(r!(s)));
                    }
                    Op::Trace { s, i } => attempt!(self.trace_value(i, r!(s))),
                    Op::Throw { s } => break 'op Trap::Throw(r!(s)),
                    Op::Return { s } => leave!(r!(s)),
                    Op::ReturnVoid => leave!(0),
                    op => {
                        if let Some((d, operator)) = op.operator() {
                            w!(d, attempt!(self.apply(regs, operator)));
                        } else if let Some(way) = attempt!(self.jumps(regs, op)) {
                            if !way.taken.is_false() && !way.rest.is_false() {
                                let limit = active.len();
                                match attempt!(self.decide(frame, pc, limit, way)) {
                                    Some(Left::At(next)) => {
                                        pc = next;
                                        continue 'run;
                                    }
                                    Some(Left::Returned(value)) => leave!(value),
                                    None => {}
                                }
                            }
                            if way.target <= pc && !way.taken.is_false() {
                                attempt!(self.tick());
                            }
                            pc = attempt!(self.fork(code, &mut multi, regs, way, pc + 1));
                            active = self.active(ops, multi);
                            continue 'run;
                        } else {
                            break 'op Trap::unknown(format!("internal: {op:?} cannot be run"));
                        }
                    }
                }
                pc += 1;
                continue 'run;
            };
            match self.handle(code, &mut multi, regs, pc, trap, stack) {
                Ok(Flow::Go(next)) => pc = next,
                Ok(Flow::Dead) => {
                    if multi.is_none() {
                        return self.finish_thrown(entry);
                    }
                    match self.next_state(code, entry, multi, regs) {
                        Ok(next) => pc = next,
                        Err(done) => return done,
                    }
                }
                Err(trap) => return self.give_up(entry, multi, trap),
            }
            active = self.active(ops, multi);
        }
    }

    /// The instructions before the lowest waiting state.
    fn active<'a>(&self, ops: &'a [Cell<Op>], multi: Option<usize>) -> &'a [Cell<Op>] {
        &ops[..self.limit(multi).min(ops.len())]
    }

    #[cold]
    fn overflow(&mut self) -> Done {
        match self.make_exception("java/lang/StackOverflowError", None) {
            Ok(exception) => Done::Threw(u64::from(exception)),
            Err(trap) => self.give_up(self.ctx, None, trap),
        }
    }

    /// One backward jump or call of the running state; a safe point.
    #[inline(always)]
    pub(crate) fn tick(&mut self) -> Result<(), Trap> {
        self.fuel = self.fuel.wrapping_sub(1);
        if self.fuel == 0 || self.heap.allocated >= self.collect_at {
            self.safe_point()
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    pub(crate) fn key(slot: Slot) -> i32 {
        as_int(slot)
    }
}
