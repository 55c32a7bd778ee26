//! The quick loop: instructions on plain values, in one state.
//!
//! It runs until an instruction meets a choice, null, an index out of bounds, an unresolved constant or anything
//! else that is not everyday, and leaves that instruction, untouched, to the general loop. So it knows nothing of
//! conditions or exceptions, has no way to fail, and stays small enough for the compiler to keep its state in
//! machine registers, which is worth more than any other measure: the general loop alone takes twice as long.

use super::Done;
use crate::class::lookup::KINDS;
use crate::class::{Body, ClassId, MethodId};
use crate::code::arith::{Binary, Compare, Unary};
use crate::code::op::{Code, Op, Site};
use crate::heap::{HEADER, Heap};
use crate::value::{Kind, Ref, Slot, any_choice32, as_double, as_ref, int, is_choice};
use crate::vm::{Call, Vm, WINDOW};
use std::cell::Cell;
use std::rc::Rc;

/// What the loops know of the frame they run.
pub(crate) struct Frame<'a> {
    pub(crate) code: &'a Rc<Code>,
    pub(crate) regs: &'a [Cell<Slot>; WINDOW],
    pub(crate) stack: &'a [Cell<Slot>],
    /// First register above the frame.
    pub(crate) top: usize,
}

/// Whether a slot of a reference is null or a choice: one test.
#[inline(always)]
fn is_odd(object: Slot) -> bool {
    object.wrapping_sub(1) >= u64::from(u32::MAX)
}

impl Vm {
    /// Runs from `pc` on, at most to the end of `ops`, and returns the first instruction that was not run.
    ///
    /// A call that did not end with a value leaves its outcome in `self.outcome`, and the instruction is the call.
    pub(crate) fn quick(&mut self, frame: &Frame<'_>, ops: &[Cell<Op>], mut pc: usize) -> usize {
        let regs = frame.regs;
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
        macro_rules! leave_if {
            ($odd:expr) => {
                if $odd {
                    return pc;
                }
            };
        }
        macro_rules! int2 {
            ($op:ident, $d:expr, $a:expr, $b:expr) => {{
                let (a, b) = (r!($a), $b);
                leave_if!(any_choice32(a, b));
                w!($d, Binary::$op.eval(a, b));
            }};
        }
        macro_rules! long2 {
            ($op:ident, $d:expr, $a:expr, $b:expr) => {{
                let (a, b) = (r!($a), r!($b));
                let result = Binary::$op.eval(a, b);
                leave_if!(is_choice(a) || is_choice(b) || is_choice(result));
                w!($d, result);
            }};
        }
        // A choice is a NaN, and so is what arithmetic makes of one.
        macro_rules! double2 {
            ($d:expr, $a:expr, $op:tt, $b:expr) => {{
                let result = as_double(r!($a)) $op as_double(r!($b));
                leave_if!(result.is_nan());
                w!($d, result.to_bits());
            }};
        }
        macro_rules! convert {
            ($op:ident, $d:expr, $a:expr) => {{
                let a = r!($a);
                leave_if!(a >> 32 != 0);
                w!($d, Unary::$op.eval(a));
            }};
        }
        macro_rules! jump {
            ($t:expr) => {{
                let target = $t as usize;
                if target <= pc {
                    leave_if!(self.must_stop());
                    self.fuel = self.fuel.wrapping_sub(1);
                }
                pc = target;
                continue;
            }};
        }
        macro_rules! branch {
            ($cmp:ident, $a:expr, $b:expr, $t:expr) => {{
                let (a, b) = (r!($a), $b);
                leave_if!(any_choice32(a, b));
                if Compare::$cmp.eval(a, b) {
                    jump!($t);
                }
            }};
        }
        macro_rules! element {
            ($d:expr, $a:expr, $i:expr, |$array:ident, $index:ident| $read:expr) => {{
                let (a, i) = (r!($a), r!($i));
                let ($array, $index) = (as_ref(a), i as u32);
                leave_if!(any_choice32(a, i) || !self.heap.is_plain_element($array, $index));
                w!($d, $read);
            }};
        }
        macro_rules! store_element {
            ($a:expr, $i:expr, $s:expr, |$array:ident, $index:ident, $value:ident| $write:expr) => {{
                let (a, i, $value) = (r!($a), r!($i), r!($s));
                let ($array, $index) = (as_ref(a), i as u32);
                leave_if!(
                    (a | i | $value) >> 32 != 0
                        || !self.heap.is_plain_element($array, $index)
                        || !self.writes_directly(self.heap.context($array))
                );
                $write;
            }};
        }
        macro_rules! call {
            ($d:expr, $site:expr, $method:expr) => {{
                let method = $method;
                match self.quick_call(frame, pc, $site, method) {
                    Some(value) => w!($d, value),
                    None => return pc,
                }
            }};
        }
        macro_rules! receiver {
            ($site:expr) => {{
                let receiver = r!($site.args[0]);
                leave_if!(is_odd(receiver));
                as_ref(receiver)
            }};
        }
        while let Some(op) = ops.get(pc) {
            match op.get() {
                Op::Nop => {}
                Op::Move { d, s } => w!(d, r!(s)),
                Op::Const { d, k } => w!(d, int(k)),
                Op::ConstWide { d, i } => {
                    let bits = frame.code.wide[i as usize];
                    leave_if!(is_choice(bits));
                    w!(d, bits);
                }
                Op::LdcString { d, i } => {
                    let string = self.literals.made(i);
                    leave_if!(string == 0);
                    w!(d, u64::from(string));
                }
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
                Op::IMulK { d, a, k } => int2!(IMul, d, a, int(i32::from(k))),
                Op::IAndK { d, a, k } => int2!(IAnd, d, a, int(i32::from(k))),
                Op::IShlK { d, a, k } => int2!(IShl, d, a, int(i32::from(k))),
                Op::IShrK { d, a, k } => int2!(IShr, d, a, int(i32::from(k))),
                Op::IUshrK { d, a, k } => int2!(IUshr, d, a, int(i32::from(k))),
                Op::LAdd { d, a, b } => long2!(LAdd, d, a, b),
                Op::LSub { d, a, b } => long2!(LSub, d, a, b),
                Op::LMul { d, a, b } => long2!(LMul, d, a, b),
                Op::DAdd { d, a, b } => double2!(d, a, +, b),
                Op::DSub { d, a, b } => double2!(d, a, -, b),
                Op::DMul { d, a, b } => double2!(d, a, *, b),
                Op::DDiv { d, a, b } => double2!(d, a, /, b),
                Op::I2L { d, a } => convert!(I2L, d, a),
                Op::I2D { d, a } => convert!(I2D, d, a),
                Op::I2B { d, a } => convert!(I2B, d, a),
                Op::I2C { d, a } => convert!(I2C, d, a),
                Op::L2I { d, a } => {
                    let a = r!(a);
                    leave_if!(is_choice(a));
                    w!(d, u64::from(a as u32));
                }
                Op::Bin { op, d, a, b } => {
                    let (a, b) = (r!(a), r!(b));
                    let result = op.eval(a, b);
                    leave_if!(is_choice(a) || is_choice(b) || is_choice(result));
                    w!(d, result);
                }
                Op::BinK { op, d, a, k } => {
                    let a = r!(a);
                    leave_if!(a >> 32 != 0);
                    w!(d, op.eval(a, int(i32::from(k))));
                }
                Op::Div { op, d, a, b } => {
                    let (a, b) = (r!(a), r!(b));
                    leave_if!(is_choice(a) || is_choice(b) || b == 0);
                    let result = op.eval(a, b);
                    leave_if!(is_choice(result));
                    w!(d, result);
                }
                Op::Un { op, d, a } => {
                    let a = r!(a);
                    let result = op.eval(a);
                    leave_if!(is_choice(a) || is_choice(result));
                    w!(d, result);
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
                    leave_if!(is_choice(a) || is_choice(b));
                    if how.eval_long(a as i64, b as i64) {
                        jump!(t);
                    }
                }
                Op::Switch { a, i } => {
                    let key = r!(a);
                    leave_if!(key >> 32 != 0);
                    jump!(frame.code.switches[i as usize].target(Self::key(key)));
                }

                Op::IALoad { d, a, i } => {
                    element!(d, a, i, |at, n| u64::from(self.heap.int_at(at, n)))
                }
                Op::BALoad { d, a, i } => {
                    element!(d, a, i, |at, n| int(i32::from(self.heap.byte_at(at, n))))
                }
                Op::CALoad { d, a, i } => {
                    element!(d, a, i, |at, n| u64::from(self.heap.char_at(at, n)))
                }
                Op::SALoad { d, a, i } => {
                    element!(d, a, i, |at, n| int(i32::from(
                        self.heap.char_at(at, n) as i16
                    )))
                }
                Op::WALoad { d, a, i } => {
                    element!(d, a, i, |at, n| self.heap.word(at + HEADER + n))
                }
                Op::IAStore { a, i, s } => {
                    store_element!(a, i, s, |at, n, v| self.heap.set_int(at, n, v as u32))
                }
                Op::BAStore { a, i, s } => {
                    store_element!(a, i, s, |at, n, v| {
                        let bits = self.class_of(at) == self.known.boolean_array;
                        let v = if bits { v & 1 } else { v };
                        self.heap.set_byte(at, n, v as u8);
                    })
                }
                Op::CAStore { a, i, s } => {
                    store_element!(a, i, s, |at, n, v| self.heap.set_char(at, n, v as u16))
                }
                Op::LAStore { a, i, s } => {
                    let (array, index, value) = (r!(a), r!(i), r!(s));
                    let (at, n) = (as_ref(array), index as u32);
                    leave_if!(
                        any_choice32(array, index)
                            || !self.heap.is_plain_element(at, n)
                            || !self.writes_directly(self.heap.context(at))
                    );
                    self.heap.set_word(at + HEADER + n, value);
                }
                Op::AAStore { a, i, s } => {
                    store_element!(a, i, s, |at, n, v| {
                        leave_if!(!self.can_store(at, as_ref(v)));
                        self.heap.set_word(at + HEADER + n, v);
                    })
                }
                Op::ArrayLength { d, a } => {
                    let array = r!(a);
                    leave_if!(is_odd(array));
                    w!(d, u64::from(self.heap.length(as_ref(array))));
                }
                Op::NewArray { d, n, kind } => {
                    let class = self.primitive_array(kind);
                    let array = self.quick_array(class, kind, r!(n));
                    leave_if!(array == 0);
                    w!(d, u64::from(array));
                }
                Op::ANewArrayQ { d, n, site } => {
                    let class = frame.code.class_sites.borrow()[usize::from(site)];
                    let array = self.quick_array(class, Kind::Ref, r!(n));
                    leave_if!(array == 0);
                    w!(d, u64::from(array));
                }

                Op::GetFieldQ { d, o, f } => {
                    let object = r!(o);
                    leave_if!(is_odd(object));
                    w!(d, self.heap.field(as_ref(object), u32::from(f)));
                }
                Op::PutFieldQ { o, s, f } => {
                    let object = r!(o);
                    let at = as_ref(object);
                    leave_if!(is_odd(object) || !self.writes_directly(self.heap.context(at)));
                    self.heap.set_field(at, u32::from(f), r!(s));
                }
                Op::GetStaticQ { d, f } => {
                    let value = self.statics[f as usize];
                    if is_choice(value) {
                        match self.seen_static(f, value) {
                            Some(within) => w!(d, within),
                            None => return pc,
                        }
                    } else {
                        w!(d, value);
                    }
                }
                Op::PutStaticQ { s, f } => {
                    leave_if!(self.ctx != self.universe);
                    self.statics[f as usize] = r!(s);
                }

                Op::InvokeStaticQ { d, i } => {
                    let site = &frame.code.sites[i as usize];
                    call!(d, site, site.method.get());
                }
                Op::InvokeSpecialQ { d, i } => {
                    let site = &frame.code.sites[i as usize];
                    receiver!(site);
                    call!(d, site, site.method.get());
                }
                Op::InvokeVirtualQ { d, i } => {
                    let site = &frame.code.sites[i as usize];
                    let class = self.class_of(receiver!(site));
                    let table = &self.classes[class as usize].vtable;
                    match table.get(site.vtable.get() as usize) {
                        Some(&method) => call!(d, site, method),
                        None => return pc,
                    }
                }
                Op::InvokeInterfaceQ { d, i } => {
                    let site = &frame.code.sites[i as usize];
                    let class = self.class_of(receiver!(site));
                    if site.cached_class.get() != class {
                        leave_if!(!self.select_for(site, class));
                    }
                    call!(d, site, site.cached_method.get());
                }
                Op::NewQ { d, class } => {
                    let words = self.classes[class as usize].instance_words;
                    let ctx = self.ctx.to_raw();
                    match self.heap.allocate(class, words, 0, ctx) {
                        Some(object) => w!(d, u64::from(object)),
                        None => return pc,
                    }
                }
                Op::CheckCastQ { s, class } => {
                    let object = r!(s);
                    if object != 0 {
                        leave_if!(object >> 32 != 0);
                        leave_if!(!self.is_kind_of(self.class_of(as_ref(object)), class));
                    }
                }
                Op::InstanceOfQ { d, s, site } => {
                    let object = r!(s);
                    leave_if!(object >> 32 != 0);
                    let class = frame.code.class_sites.borrow()[usize::from(site)];
                    let yes = object != 0 && self.is_kind_of(self.class_of(as_ref(object)), class);
                    w!(d, u64::from(yes));
                }
                Op::MonitorEnter { s } | Op::MonitorExit { s } => leave_if!(is_odd(r!(s))),
                // All named, so that the compiler need not check for more.
                Op::Ldc { .. }
                | Op::ANewArray { .. }
                | Op::MultiNewArray { .. }
                | Op::GetField { .. }
                | Op::PutField { .. }
                | Op::GetStatic { .. }
                | Op::PutStatic { .. }
                | Op::Invoke { .. }
                | Op::New { .. }
                | Op::CheckCast { .. }
                | Op::InstanceOf { .. }
                | Op::Throw { .. }
                | Op::Return { .. }
                | Op::ReturnVoid
                | Op::Trace { .. } => return pc,
            }
            pc += 1;
        }
        pc
    }

    /// Whether the next backward jump or call has to look at fuel or memory.
    #[inline(always)]
    fn must_stop(&self) -> bool {
        self.fuel == 1 || self.heap.allocated >= self.collect_at
    }

    /// Calls a method; `None` if it was not begun or its outcome is left in `self.outcome`.
    #[inline(never)]
    fn quick_call(
        &mut self,
        frame: &Frame<'_>,
        pc: usize,
        site: &Site,
        method: MethodId,
    ) -> Option<Slot> {
        let Body::Code(callee) = &self.methods[method as usize].body else {
            return self.quick_native(frame, pc, site, method);
        };
        if self.must_stop() || self.calls.len() >= self.limits.depth as usize {
            return None;
        }
        self.fuel = self.fuel.wrapping_sub(1);
        let callee = Rc::clone(callee);
        let target = &frame.stack[frame.top..];
        for (&param, &arg) in callee.params.iter().zip(site.args.iter()) {
            target[usize::from(param)].set(frame.regs[usize::from(arg)].get());
        }
        self.calls.push(Call {
            method: frame.code.method,
            pc: pc as u32,
        });
        let done = self.run(&callee, frame.top, frame.stack);
        self.calls.pop();
        self.top = frame.top;
        match done {
            Done::Value(value) => Some(value),
            done => {
                self.outcome = Some(Ok(done));
                None
            }
        }
    }

    /// Calls what is not bytecode in register form.
    #[inline(never)]
    fn quick_native(
        &mut self,
        frame: &Frame<'_>,
        pc: usize,
        site: &Site,
        method: MethodId,
    ) -> Option<Slot> {
        self.calls.push(Call {
            method: frame.code.method,
            pc: pc as u32,
        });
        let done = self.call_other(method, site, frame.regs, frame.top);
        self.calls.pop();
        self.top = frame.top;
        match done {
            Ok(Done::Value(value)) => Some(value),
            done => {
                self.outcome = Some(done);
                None
            }
        }
    }

    /// The class of arrays of a primitive kind, which exists since start-up.
    #[inline(always)]
    fn primitive_array(&self, kind: Kind) -> ClassId {
        let component = self.primitive(kind);
        self.classes[component as usize].array.unwrap_or(0)
    }

    /// A new array, or 0 if the length is odd or memory short.
    #[inline(always)]
    fn quick_array(&mut self, class: ClassId, kind: Kind, length: Slot) -> Ref {
        if class == 0 || length > i32::MAX as u64 {
            return 0;
        }
        let length = length as u32;
        let ctx = self.ctx.to_raw();
        match u32::try_from(Heap::array_words(kind, length)) {
            Ok(words) => self
                .heap
                .allocate(class, words, length, ctx)
                .unwrap_or_default(),
            Err(_) => 0,
        }
    }

    /// Brings a site's cache up to date with a receiver's class.
    #[inline(never)]
    fn select_for(&mut self, site: &Site, class: ClassId) -> bool {
        let called = site.method.get();
        let hash = class.wrapping_mul(0x9E37_79B1) ^ called.wrapping_mul(0x85EB_CA6B);
        let place = (hash >> 16) as usize % KINDS;
        let (known_class, known_method, known) = self.selections[place].get();
        let method = if (known_class, known_method) == (class, called) {
            known
        } else {
            match self.target_for(called, class) {
                Ok(method) => method,
                Err(_) => return false,
            }
        };
        self.selections[place].set((class, called, method));
        site.cached_class.set(class);
        site.cached_method.set(method);
        true
    }
}
