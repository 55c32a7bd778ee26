//! The interpreter's loop over the register form.

use super::Done;
use super::raise::Flow;
use crate::code::arith::{Binary, Compare};
use crate::code::op::{Code, Op};
use crate::heap::HEADER;
use crate::trap::Trap;
use crate::value::{Kind, Slot, any_choice32, as_int, as_ref, int, is_choice};
use crate::vm::{Call, Vm, WINDOW};
use std::cell::Cell;
use std::rc::Rc;

impl Vm {
    /// Runs a method whose arguments are in place at `base`, in the current context.
    pub(crate) fn run(&mut self, code: &Rc<Code>, base: usize, stack: &[Cell<Slot>]) -> Done {
        let top = base + usize::from(code.regs);
        let Some(regs) = stack
            .get(base..)
            .and_then(|rest| rest.first_chunk::<WINDOW>())
        else {
            return self.overflow();
        };
        self.top = top;
        let entry = self.ctx;
        let mut multi: Option<usize> = None;
        let mut pc = 0usize;
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
                macro_rules! int2 {
                    ($op:ident, $d:expr, $a:expr, $b:expr) => {{
                        let (a, b) = (r!($a), $b);
                        if any_choice32(a, b) {
                            w!($d, attempt!(self.lift2(Binary::$op, a, b)));
                        } else {
                            w!($d, Binary::$op.eval(a, b));
                        }
                    }};
                }
                macro_rules! wide2 {
                    ($op:ident, $d:expr, $a:expr, $b:expr) => {{
                        let (a, b) = (r!($a), r!($b));
                        let result = Binary::$op.eval(a, b);
                        if is_choice(a) || is_choice(b) || is_choice(result) {
                            w!($d, attempt!(self.lift2(Binary::$op, a, b)));
                        } else {
                            w!($d, result);
                        }
                    }};
                }
                macro_rules! jump {
                    ($t:expr) => {{
                        let target = $t as usize;
                        if target <= pc {
                            if let Err(trap) = self.tick() {
                                break 'op trap;
                            }
                        }
                        pc = target;
                        continue 'run;
                    }};
                }
                macro_rules! branch {
                    ($cmp:ident, $a:expr, $b:expr, $t:expr) => {{
                        let (a, b) = (r!($a), $b);
                        if any_choice32(a, b) {
                            let taken = attempt!(self.lift_compare(Compare::$cmp, a, b));
                            let target = $t as usize;
                            if target <= pc {
                                attempt!(self.tick());
                            }
                            pc = attempt!(self.fork(
                                code,
                                &mut multi,
                                regs,
                                taken,
                                (target, pc + 1)
                            ));
                            active = self.active(ops, multi);
                            continue 'run;
                        }
                        if Compare::$cmp.eval(a, b) {
                            jump!($t);
                        }
                    }};
                }
                macro_rules! element {
                    ($a:expr, $i:expr, $kind:expr, |$array:ident, $index:ident| $read:expr) => {{
                        let (a, i) = (r!($a), r!($i));
                        let ($array, $index) = (as_ref(a), i as u32);
                        if any_choice32(a, i) || !self.heap.is_plain_element($array, $index) {
                            attempt!(self.array_load($kind, a, i))
                        } else {
                            $read
                        }
                    }};
                }
                macro_rules! store_element {
                    ($a:expr, $i:expr, $s:expr, $kind:expr, |$array:ident, $index:ident, $value:ident| $write:expr) => {{
                        let (a, i, $value) = (r!($a), r!($i), r!($s));
                        let ($array, $index) = (as_ref(a), i as u32);
                        if (a | i | $value) >> 32 != 0
                            || !self.heap.is_plain_element($array, $index)
                            || !(self.ctx == self.universe
                                || self.writes_directly(self.heap.context($array)))
                        {
                            attempt!(self.array_store($kind, a, i, $value));
                        } else {
                            $write;
                        }
                    }};
                }
                macro_rules! call {
                    ($d:expr, $i:expr, $kind:ident) => {{
                        let site = &code.sites[$i as usize];
                        let method = attempt!(self.$kind(site, regs));
                        self.calls.push(Call {
                            method: code.method,
                            pc: pc as u32,
                        });
                        let done = self.call_from(method, site, regs, top, stack);
                        self.calls.pop();
                        self.top = top;
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
                    Op::LdcString { d, i } => {
                        let string = self.literals.made(i);
                        w!(
                            d,
                            u64::from(if string != 0 {
                                string
                            } else {
                                attempt!(self.literal(i))
                            })
                        );
                    }
                    Op::Ldc { d, i } => w!(d, attempt!(self.load_constant(code, pc, d, i))),

                    Op::IAdd { d, a, b } => int2!(IAdd, d, a, r!(b)),
                    Op::ISub { d, a, b } => int2!(ISub, d, a, r!(b)),
                    Op::IMul { d, a, b } => int2!(IMul, d, a, r!(b)),
                    Op::IAnd { d, a, b } => int2!(IAnd, d, a, r!(b)),
                    Op::IOr { d, a, b } => int2!(IOr, d, a, r!(b)),
                    Op::IXor { d, a, b } => int2!(IXor, d, a, r!(b)),
                    Op::IShl { d, a, b } => int2!(IShl, d, a, r!(b)),
                    Op::IShr { d, a, b } => int2!(IShr, d, a, r!(b)),
                    Op::IUshr { d, a, b } => int2!(IUshr, d, a, r!(b)),
                    Op::IAddK { d, a, k } => int2!(IAdd, d, a, int(i32::from(k))),
                    Op::IAndK { d, a, k } => int2!(IAnd, d, a, int(i32::from(k))),
                    Op::IShlK { d, a, k } => int2!(IShl, d, a, int(i32::from(k))),
                    Op::IShrK { d, a, k } => int2!(IShr, d, a, int(i32::from(k))),
                    Op::IUshrK { d, a, k } => int2!(IUshr, d, a, int(i32::from(k))),
                    Op::LAdd { d, a, b } => wide2!(LAdd, d, a, b),
                    Op::LSub { d, a, b } => wide2!(LSub, d, a, b),
                    Op::LMul { d, a, b } => wide2!(LMul, d, a, b),
                    Op::DAdd { d, a, b } => wide2!(DAdd, d, a, b),
                    Op::DSub { d, a, b } => wide2!(DSub, d, a, b),
                    Op::DMul { d, a, b } => wide2!(DMul, d, a, b),
                    Op::Bin { op, d, a, b } => {
                        let (a, b) = (r!(a), r!(b));
                        let result = op.eval(a, b);
                        if is_choice(a) || is_choice(b) || is_choice(result) {
                            w!(d, attempt!(self.lift2(op, a, b)));
                        } else {
                            w!(d, result);
                        }
                    }
                    Op::BinK { op, d, a, k } => {
                        let (a, b) = (r!(a), int(i32::from(k)));
                        if is_choice(a) {
                            w!(d, attempt!(self.lift2(op, a, b)));
                        } else {
                            w!(d, op.eval(a, b));
                        }
                    }
                    Op::Div { op, d, a, b } => {
                        let (a, b) = (r!(a), r!(b));
                        if is_choice(a) || is_choice(b) || b == 0 {
                            w!(d, attempt!(self.lift_divide(op, a, b)));
                        } else {
                            let result = op.eval(a, b);
                            w!(d, attempt!(self.wide(result)));
                        }
                    }
                    Op::Un { op, d, a } => {
                        let a = r!(a);
                        let result = op.eval(a);
                        if is_choice(a) || is_choice(result) {
                            w!(d, attempt!(self.lift1(op, a)));
                        } else {
                            w!(d, result);
                        }
                    }

                    Op::Goto { t } => jump!(t),
                    Op::JEq { a, b, t } => branch!(Eq, a, r!(b), t),
                    Op::JNe { a, b, t } => branch!(Ne, a, r!(b), t),
                    Op::JLt { a, b, t } => branch!(Lt, a, r!(b), t),
                    Op::JGe { a, b, t } => branch!(Ge, a, r!(b), t),
                    Op::JGt { a, b, t } => branch!(Gt, a, r!(b), t),
                    Op::JLe { a, b, t } => branch!(Le, a, r!(b), t),
                    Op::JEqK { a, k, t } => branch!(Eq, a, int(i32::from(k)), t),
                    Op::JNeK { a, k, t } => branch!(Ne, a, int(i32::from(k)), t),
                    Op::JLtK { a, k, t } => branch!(Lt, a, int(i32::from(k)), t),
                    Op::JGeK { a, k, t } => branch!(Ge, a, int(i32::from(k)), t),
                    Op::JGtK { a, k, t } => branch!(Gt, a, int(i32::from(k)), t),
                    Op::JLeK { a, k, t } => branch!(Le, a, int(i32::from(k)), t),
                    Op::JLong { how, a, b, t } => {
                        let (a, b) = (r!(a), r!(b));
                        if is_choice(a) || is_choice(b) {
                            let order = attempt!(self.lift2(Binary::LCmp, a, b));
                            let taken = attempt!(self.lift_compare(how, order, 0));
                            let target = t as usize;
                            if target <= pc {
                                attempt!(self.tick());
                            }
                            pc = attempt!(self.fork(
                                code,
                                &mut multi,
                                regs,
                                taken,
                                (target, pc + 1)
                            ));
                            active = self.active(ops, multi);
                            continue 'run;
                        }
                        if how.eval_long(a as i64, b as i64) {
                            jump!(t);
                        }
                    }
                    Op::Switch { a, i } => {
                        let key = attempt!(self.switch_key(&code.switches[i as usize], r!(a)));
                        jump!(code.switches[i as usize].target(key));
                    }

                    Op::IALoad { d, a, i } => {
                        w!(
                            d,
                            element!(a, i, Kind::Int, |at, n| u64::from(self.heap.int_at(at, n)))
                        );
                    }
                    Op::BALoad { d, a, i } => {
                        w!(
                            d,
                            element!(a, i, Kind::Byte, |at, n| int(i32::from(
                                self.heap.byte_at(at, n)
                            )))
                        );
                    }
                    Op::CALoad { d, a, i } => {
                        w!(
                            d,
                            element!(a, i, Kind::Char, |at, n| u64::from(
                                self.heap.char_at(at, n)
                            ))
                        );
                    }
                    Op::SALoad { d, a, i } => {
                        w!(
                            d,
                            element!(a, i, Kind::Short, |at, n| int(i32::from(
                                self.heap.char_at(at, n) as i16
                            )))
                        );
                    }
                    Op::WALoad { d, a, i } => {
                        w!(
                            d,
                            element!(a, i, Kind::Long, |at, n| self.heap.word(at + HEADER + n))
                        );
                    }
                    Op::IAStore { a, i, s } => {
                        store_element!(a, i, s, Kind::Int, |at, n, v| self
                            .heap
                            .set_int(at, n, v as u32));
                    }
                    Op::BAStore { a, i, s } => {
                        store_element!(a, i, s, Kind::Byte, |at, n, v| {
                            let v = if self.class_of(at) == self.known.boolean_array {
                                v & 1
                            } else {
                                v
                            };
                            self.heap.set_byte(at, n, v as u8);
                        });
                    }
                    Op::CAStore { a, i, s } => {
                        store_element!(a, i, s, Kind::Char, |at, n, v| self
                            .heap
                            .set_char(at, n, v as u16));
                    }
                    Op::LAStore { a, i, s } => {
                        let (array, index, value) = (r!(a), r!(i), r!(s));
                        let (at, n) = (as_ref(array), index as u32);
                        if any_choice32(array, index)
                            || !self.heap.is_plain_element(at, n)
                            || !(self.ctx == self.universe
                                || self.writes_directly(self.heap.context(at)))
                        {
                            attempt!(self.array_store(Kind::Long, array, index, value));
                        } else {
                            self.heap.set_word(at + HEADER + n, value);
                        }
                    }
                    Op::AAStore { a, i, s } => {
                        store_element!(a, i, s, Kind::Ref, |at, n, v| {
                            if !self.can_store(at, as_ref(v)) {
                                break 'op self.store_error(as_ref(v));
                            }
                            self.heap.set_word(at + HEADER + n, v);
                        });
                    }
                    Op::ArrayLength { d, a } => {
                        let array = r!(a);
                        if is_choice(array) || array == 0 {
                            w!(d, attempt!(self.array_length(array)));
                        } else {
                            w!(d, u64::from(self.heap.length(as_ref(array))));
                        }
                    }
                    Op::NewArray { d, n, kind } => {
                        let length = r!(n);
                        w!(
                            d,
                            u64::from(attempt!(self.new_primitive_array(kind, length)))
                        );
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
                        let object = r!(o);
                        if is_choice(object) || object == 0 {
                            w!(d, attempt!(self.get_field(object, u32::from(f))));
                        } else {
                            w!(d, self.heap.field(as_ref(object), u32::from(f)));
                        }
                    }
                    Op::PutFieldQ { o, s, f } => {
                        let (object, value) = (r!(o), r!(s));
                        let at = as_ref(object);
                        if is_choice(object)
                            || at == 0
                            || !(self.ctx == self.universe
                                || self.writes_directly(self.heap.context(at)))
                        {
                            attempt!(self.put_field(object, u32::from(f), value));
                        } else {
                            self.heap.set_field(at, u32::from(f), value);
                        }
                    }
                    Op::GetStaticQ { d, f } => w!(d, self.statics[f as usize]),
                    Op::PutStaticQ { s, f } => {
                        if self.ctx == self.universe {
                            self.statics[f as usize] = r!(s);
                        } else {
                            attempt!(self.put_static(f, r!(s)));
                        }
                    }
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
                        let object = r!(s);
                        if is_choice(object) {
                            attempt!(self.not_null(object));
                        } else if object == 0 {
                            break 'op Trap::null();
                        }
                    }
                    Op::Trace { s, i } => attempt!(self.trace_value(i, r!(s))),
                    Op::Throw { s } => break 'op Trap::Throw(r!(s)),
                    Op::Return { .. } | Op::ReturnVoid => {
                        let value = if let Op::Return { s } = op { r!(s) } else { 0 };
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
