//! Objects and arrays: allocation, and access where something is a choice, null or out of bounds.

use super::states::Regs;
use crate::class::{ClassId, Shape};
use crate::code::op::{Code, Op, Reg, SwitchTable};
use crate::heap::{HEADER, Heap};
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, as_int, as_ref, choice, is_choice};
use crate::vm::{Seen, Vm};
use braid_cond::{Choice, Cond};
use std::rc::Rc;

impl Vm {
    /// Allocates in the current context, collecting garbage is the caller's business.
    #[inline]
    pub(crate) fn allocate(&mut self, class: ClassId, words: u32, length: u32) -> Step<Ref> {
        let ctx = self.ctx.to_raw();
        match self.heap.allocate(class, words, length, ctx) {
            Some(object) => Ok(object),
            None => Err(self.out_of_memory()),
        }
    }

    /// A new instance with zeroed fields.
    #[inline]
    pub(crate) fn new_object(&mut self, class: ClassId) -> Step<Ref> {
        let words = self.classes[class as usize].instance_words;
        self.allocate(class, words, 0)
    }

    /// A new array of an array class.
    pub(crate) fn new_array(&mut self, class: ClassId, length: u32) -> Step<Ref> {
        let kind = self.classes[class as usize]
            .element_kind()
            .unwrap_or(Kind::Ref);
        let words = Heap::array_words(kind, length);
        match u32::try_from(words) {
            Ok(words) => self.allocate(class, words, length),
            Err(_) => Err(self.out_of_memory()),
        }
    }

    /// A new array whose length comes from the program.
    pub(crate) fn new_array_checked(&mut self, class: ClassId, length: Slot) -> Step<Ref> {
        let length = as_int(self.plain(length)?);
        match u32::try_from(length) {
            Ok(length) => self.new_array(class, length),
            Err(_) => Err(Trap::new(
                "java/lang/NegativeArraySizeException",
                length.to_string(),
            )),
        }
    }

    pub(crate) fn new_primitive_array(&mut self, kind: Kind, length: Slot) -> Step<Ref> {
        let component = self.primitive(kind);
        let class = self.array_of(component);
        self.new_array_checked(class, length)
    }

    pub(crate) fn new_multi_array(
        &mut self,
        code: &Code,
        regs: &Regs,
        dims: u8,
        first: Reg,
        pool: u16,
    ) -> Step<Slot> {
        let class = self.pool_class(code.class, pool)?;
        let mut lengths = Vec::new();
        for reg in first..first + u16::from(dims) {
            lengths.push(as_int(self.plain(regs[usize::from(reg)].get())?));
        }
        if let Some(negative) = lengths.iter().find(|&&length| length < 0) {
            return Err(Trap::new(
                "java/lang/NegativeArraySizeException",
                negative.to_string(),
            ));
        }
        Ok(u64::from(self.fill_dimensions(class, &lengths)?))
    }

    pub(crate) fn fill_dimensions(&mut self, class: ClassId, lengths: &[i32]) -> Step<Ref> {
        let array = self.new_array(class, lengths[0] as u32)?;
        if lengths.len() > 1 {
            let Shape::Array { component, .. } = self.classes[class as usize].shape else {
                return Err(Trap::unknown("multianewarray of a class that is no array"));
            };
            for index in 0..lengths[0] as u32 {
                let inner = self.fill_dimensions(component, &lengths[1..])?;
                self.heap.set_word(array + HEADER + index, u64::from(inner));
            }
        }
        Ok(array)
    }

    /// Splits off the part of the context in which the reference is null; throws if that is all of it.
    pub(crate) fn not_null(&mut self, object: Slot) -> Step<()> {
        if !is_choice(object) {
            return if object == 0 {
                Err(Trap::null())
            } else {
                Ok(())
            };
        }
        let diagram = self.diagram(object)?;
        let null = self.conds.when_equal(diagram, 0)?;
        let null = self.conds.and(null, self.ctx)?;
        if null.is_false() {
            Ok(())
        } else if null == self.ctx {
            Err(Trap::null())
        } else {
            Err(Trap::SplitOn(null))
        }
    }

    /// Reads a field of a choice (or null).
    #[cold]
    pub(crate) fn get_field(&mut self, object: Slot, offset: u32) -> Step<Slot> {
        self.not_null(object)?;
        if !is_choice(object) {
            return Ok(self.heap.field(as_ref(object), offset));
        }
        let mut result = None;
        for (cond, payload) in self.leaves(object)? {
            let value = self.heap.field(as_ref(payload), offset);
            result = Some(match result {
                None => value,
                Some(before) => self.select_slot(cond, value, before)?,
            });
        }
        result.ok_or_else(|| Trap::unknown("internal: a choice without leaves"))
    }

    /// Writes a field of a choice, or in a part of the universe.
    #[cold]
    pub(crate) fn put_field(&mut self, object: Slot, offset: u32, value: Slot) -> Step<()> {
        self.not_null(object)?;
        if !is_choice(object) {
            return self.store_field(as_ref(object), offset, value);
        }
        let ctx = self.ctx;
        for (cond, payload) in self.leaves(object)? {
            self.ctx = cond;
            let stored = self.store_field(as_ref(payload), offset, value);
            self.ctx = ctx;
            stored?;
        }
        Ok(())
    }

    /// Writes a field of one object in the current context.
    pub(crate) fn store_field(&mut self, object: Ref, offset: u32, value: Slot) -> Step<()> {
        let created = self.heap.context(object);
        let value = if self.writes_directly(created) {
            value
        } else {
            let old = self.heap.field(object, offset);
            self.joined_store(created, value, old)?
        };
        self.heap.set_field(object, offset, value);
        Ok(())
    }

    /// Reads a static field. A condition is simplified, which is remembered: most options are decided in most
    /// contexts, and need not leave the quick loop then.
    pub(crate) fn get_static(&mut self, field: u32) -> Step<Slot> {
        let value = self.statics[field as usize];
        if !is_choice(value) {
            return Ok(value);
        }
        let diagram = self.diagram(value)?;
        let within = match self.conds.as_cond(diagram) {
            Some(_) => self.simplify(value)?,
            None => value,
        };
        let length = self.statics.len();
        if self.seen.len() < length {
            self.seen.resize(length, Seen::default());
        }
        self.seen[field as usize] = Seen {
            ctx: self.ctx.to_raw(),
            value,
            within,
        };
        Ok(within)
    }

    /// What the field came to when it was last read in this context, if that is known.
    #[inline(always)]
    pub(crate) fn seen_static(&self, field: u32, value: Slot) -> Option<Slot> {
        let seen = self.seen.get(field as usize)?;
        (seen.ctx == self.ctx.to_raw() && seen.value == value).then_some(seen.within)
    }

    /// Writes a static field.
    pub(crate) fn put_static(&mut self, field: u32, value: Slot) -> Step<()> {
        let ctx = self.ctx;
        let stored = if ctx == self.universe {
            value
        } else {
            let old = self.statics[field as usize];
            self.select_slot(ctx, value, old)?
        };
        self.statics[field as usize] = stored;
        Ok(())
    }

    /// The pairs of array and index in the current context; splits if some are errors and some are not.
    fn element_places(&mut self, array: Slot, index: Slot) -> Step<Vec<(Cond, Ref, u32)>> {
        let (array, index) = (self.simplify(array)?, self.simplify(index)?);
        if array == 0 {
            return Err(Trap::null());
        }
        let ctx = self.ctx;
        let choices = [self.diagram(array)?, self.diagram(index)?];
        let combinations = self.conds.split(ctx, &choices)?;
        let mut places = Vec::new();
        let mut bad = Cond::FALSE;
        let mut trap = None;
        for (cond, values) in combinations {
            let (array, index) = (as_ref(values[0]), as_int(values[1]));
            if array == 0 || index as u32 >= self.heap.length(array) {
                bad = self.conds.or(bad, cond)?;
                trap = Some(if array == 0 {
                    Trap::null()
                } else {
                    Trap::index(index, self.heap.length(array))
                });
                if places.is_empty() && cond == ctx {
                    break;
                }
            } else {
                places.push((cond, array, index as u32));
            }
        }
        match trap {
            None => Ok(places),
            Some(trap) if bad == ctx && !is_choice(array) && !is_choice(index) => Err(trap),
            // Errors differ by leaf: run each leaf alone.
            Some(_) if bad == ctx => Err(Trap::Split(if is_choice(array) { array } else { index })),
            Some(_) => Err(Trap::SplitOn(bad)),
        }
    }

    /// The one place that a plain array and a plain index name, if there is such a place. It is what
    /// [`Vm::element_places`] would find: an array of which some element is a choice is mostly used like this.
    fn plain_place(&self, array: Slot, index: Slot) -> Option<(Ref, u32)> {
        if is_choice(array) || is_choice(index) || array == 0 {
            return None;
        }
        let (array, index) = (as_ref(array), index as u32);
        (index < self.heap.length(array)).then_some((array, index))
    }

    /// Reads an element when the fast path does not apply.
    #[cold]
    pub(crate) fn array_load(&mut self, kind: Kind, array: Slot, index: Slot) -> Step<Slot> {
        if let Some((array, index)) = self.plain_place(array, index) {
            let kind = self.exact_kind(kind, array);
            return Ok(self.heap.element(kind, array, index));
        }
        let mut result = None;
        for (cond, array, index) in self.element_places(array, index)? {
            let kind = self.exact_kind(kind, array);
            let value = self.heap.element(kind, array, index);
            result = Some(match result {
                None => value,
                Some(before) => self.select_slot(cond, value, before)?,
            });
        }
        result.ok_or_else(|| Trap::unknown("internal: a choice without leaves"))
    }

    fn exact_kind(&self, kind: Kind, array: Ref) -> Kind {
        self.classes[self.class_of(array) as usize]
            .element_kind()
            .unwrap_or(kind)
    }

    /// Writes an element when the fast path does not apply.
    #[cold]
    pub(crate) fn array_store(
        &mut self,
        kind: Kind,
        array: Slot,
        index: Slot,
        value: Slot,
    ) -> Step<()> {
        if kind != Kind::Ref
            && let Some((array, index)) = self.plain_place(array, index)
        {
            let kind = self.exact_kind(kind, array);
            let value = self.simplify(value)?;
            return self.store_element(kind, array, index, value);
        }
        let places = self.element_places(array, index)?;
        let value = self.simplify(value)?;
        if kind == Kind::Ref {
            self.check_stores(&places, value)?;
        }
        let ctx = self.ctx;
        for (cond, array, index) in places {
            let kind = self.exact_kind(kind, array);
            self.ctx = cond;
            let stored = self.store_element(kind, array, index, value);
            self.ctx = ctx;
            stored?;
        }
        Ok(())
    }

    /// Narrows a value to an element's type.
    fn narrow(&mut self, kind: Kind, value: Slot) -> Step<Slot> {
        use crate::code::arith::{Binary, Unary};
        let op = match kind {
            Kind::Byte => Unary::I2B,
            Kind::Char => Unary::I2C,
            Kind::Short => Unary::I2S,
            Kind::Boolean if is_choice(value) => return self.lift2(Binary::IAnd, value, 1),
            Kind::Boolean => return Ok(value & 1),
            _ => return Ok(value),
        };
        if is_choice(value) {
            self.lift1(op, value)
        } else {
            Ok(op.eval(value))
        }
    }

    /// Writes one element in the current context.
    pub(crate) fn store_element(
        &mut self,
        kind: Kind,
        array: Ref,
        index: u32,
        value: Slot,
    ) -> Step<()> {
        let value = self.narrow(kind, value)?;
        let created = self.heap.context(array);
        let value = if self.writes_directly(created) {
            value
        } else {
            let old = self.heap.element(kind, array, index);
            self.joined_store(created, value, old)?
        };
        self.heap.set_element(kind, array, index, value);
        Ok(())
    }

    fn check_stores(&mut self, places: &[(Cond, Ref, u32)], value: Slot) -> Step<()> {
        let ctx = self.ctx;
        let mut bad = Cond::FALSE;
        let mut culprit = 0;
        for (cond, payload) in self.leaves(value)? {
            for &(place, array, _) in places {
                if !self.can_store(array, as_ref(payload)) {
                    let both = self.conds.and(cond, place)?;
                    bad = self.conds.or(bad, both)?;
                    culprit = as_ref(payload);
                }
            }
        }
        if bad.is_false() {
            Ok(())
        } else if bad == ctx {
            Err(self.store_error(culprit))
        } else {
            Err(Trap::SplitOn(bad))
        }
    }

    /// Whether a value may be stored in an array of references.
    #[inline]
    pub(crate) fn can_store(&self, array: Ref, value: Ref) -> bool {
        if value == 0 {
            return true;
        }
        match self.classes[self.class_of(array) as usize].shape {
            Shape::Array { component, .. } => {
                component == self.known.object || self.is_subclass(self.class_of(value), component)
            }
            _ => false,
        }
    }

    #[cold]
    pub(crate) fn store_error(&self, value: Ref) -> Trap {
        Trap::new(
            "java/lang/ArrayStoreException",
            self.java_name(self.class_of(value)),
        )
    }

    #[cold]
    pub(crate) fn array_length(&mut self, array: Slot) -> Step<Slot> {
        self.not_null(array)?;
        let mut result = None;
        for (cond, payload) in self.leaves(array)? {
            let length = u64::from(self.heap.length(as_ref(payload)));
            result = Some(match result {
                None => length,
                Some(before) => self.select_slot(cond, length, before)?,
            });
        }
        result.ok_or_else(|| Trap::unknown("internal: a choice without leaves"))
    }

    /// The part of the current context in which the object is an instance of the class.
    fn when_instance(&mut self, object: Slot, class: ClassId, null: bool) -> Step<Cond> {
        let mut yes = Cond::FALSE;
        for (cond, payload) in self.leaves(object)? {
            let object = as_ref(payload);
            if if object == 0 {
                null
            } else {
                self.is_subclass(self.class_of(object), class)
            } {
                yes = self.conds.or(yes, cond)?;
            }
        }
        Ok(yes)
    }

    #[cold]
    pub(crate) fn instance_of(&mut self, object: Slot, class: ClassId) -> Step<Slot> {
        let yes = self.when_instance(object, class, false)?;
        Ok(if yes == self.ctx {
            1
        } else if yes.is_false() {
            0
        } else {
            choice(Choice::from(yes).to_raw())
        })
    }

    #[cold]
    pub(crate) fn check_cast(&mut self, object: Slot, class: ClassId) -> Step<()> {
        let yes = self.when_instance(object, class, true)?;
        if yes == self.ctx {
            return Ok(());
        }
        if !yes.is_false() {
            return Err(Trap::SplitOn(yes));
        }
        let object = self.plain_ref(object)?;
        Err(self.cast_error(object, class))
    }

    /// The `ClassCastException` with HotSpot's message, as far as it does not speak of modules.
    #[cold]
    pub(crate) fn cast_error(&self, object: Ref, class: ClassId) -> Trap {
        let from = self.class_of(object);
        let (from_name, to_name) = (self.java_name(from), self.java_name(class));
        let place = |class: ClassId| {
            if self.classes[class as usize].boot {
                "module java.base of loader 'bootstrap'"
            } else {
                "unnamed module of loader 'app'"
            }
        };
        let text = if self.classes[from as usize].boot == self.classes[class as usize].boot {
            format!("{from_name} and {to_name} are in {}", place(from))
        } else {
            format!(
                "{from_name} is in {}; {to_name} is in {}",
                place(from),
                place(class)
            )
        };
        Trap::new(
            "java/lang/ClassCastException",
            format!("class {from_name} cannot be cast to class {to_name} ({text})"),
        )
    }

    /// The key of a switch; splits by target if it is a choice.
    pub(crate) fn switch_key(&mut self, table: &SwitchTable, key: Slot) -> Step<i32> {
        if !is_choice(key) {
            return Ok(Self::key(key));
        }
        let mut groups: Vec<(usize, Cond)> = Vec::new();
        let mut first = None;
        for (cond, payload) in self.leaves(key)? {
            let target = table.target(as_int(payload));
            first.get_or_insert(as_int(payload));
            match groups.iter_mut().find(|(other, _)| *other == target) {
                Some((_, group)) => *group = self.conds.or(*group, cond)?,
                None => groups.push((target, cond)),
            }
        }
        match (groups.len(), first) {
            (1, Some(key)) => Ok(key),
            _ => Err(Trap::Parts(
                groups.into_iter().map(|(_, cond)| cond).collect(),
            )),
        }
    }

    pub(crate) fn quicken_array(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        d: Reg,
        n: Reg,
        i: u16,
    ) -> Step<ClassId> {
        let component = self.pool_class(code.class, i)?;
        let class = self.array_of(component);
        let site = class_site(code, class)?;
        code.ops[pc].set(Op::ANewArrayQ { d, n, site });
        Ok(class)
    }

    pub(crate) fn quicken_instance_of(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        d: Reg,
        s: Reg,
        i: u16,
    ) -> Step<()> {
        let class = self.pool_class(code.class, i)?;
        let site = class_site(code, class)?;
        code.ops[pc].set(Op::InstanceOfQ { d, s, site });
        Ok(())
    }
}

fn class_site(code: &Code, class: ClassId) -> Step<u16> {
    let mut sites = code.class_sites.borrow_mut();
    let at = sites
        .iter()
        .position(|&other| other == class)
        .unwrap_or_else(|| {
            sites.push(class);
            sites.len() - 1
        });
    u16::try_from(at).map_err(|_| Trap::unknown("more than 65535 classes in one method"))
}
