//! Parameters of tests: JUnit 4's `Parameterized`, JUnit 5's sources.

use super::annotations::{self, Annotation, Value};
use super::discover::{Flavour, PARAMS, TestMethod};
use crate::class::{ClassId, MethodId};
use crate::heap::HEADER;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Slot, as_ref, double, float, int};
use crate::vm::Vm;

/// One run of a test method.
#[derive(Debug, Default, Clone)]
pub(crate) struct Invocation {
    /// Arguments of the method.
    pub(crate) args: Vec<Slot>,
    /// Arguments of the constructor.
    pub(crate) constructor: Vec<Slot>,
    /// Fields to set: word offset and value.
    pub(crate) fields: Vec<(u32, Slot)>,
    /// Not one of several.
    pub(crate) plain: bool,
}

impl Invocation {
    /// Every value that the invocation keeps.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let fields = self.fields.iter().map(|(_, value)| value);
        self.args
            .iter()
            .chain(&self.constructor)
            .chain(fields)
            .copied()
    }
}

impl Vm {
    pub(crate) fn invocations(&mut self, test: &TestMethod) -> Step<Vec<Invocation>> {
        let class = self.load(&test.class.replace('.', "/"))?;
        let wanted = self.wanted(test)?;
        match test.flavour {
            Flavour::JUnit4 => self.parameterized(class),
            Flavour::JUnit5
                if test
                    .annotation(&format!("{PARAMS}ParameterizedTest"))
                    .is_some() =>
            {
                self.sources(class, test, &wanted)
            }
            Flavour::JUnit5 => {
                if let Some(repeated) = test.annotation("org/junit/jupiter/api/RepeatedTest")
                    && let Some(&Value::Int(_, count)) = repeated.get("value")
                    && wanted.is_empty()
                {
                    return Ok(vec![Invocation::default(); count.max(1) as usize]);
                }
                if !wanted.is_empty() {
                    return Err(Trap::unknown(
                        "injected test parameters (TestInfo, …) are not supported",
                    ));
                }
                Ok(vec![plain()])
            }
            Flavour::JUnit3 => Ok(vec![plain()]),
        }
    }

    /// Parameter descriptors of the test method.
    fn wanted(&self, test: &TestMethod) -> Step<Vec<String>> {
        let text = self.text(self.methods[test.id as usize].descriptor);
        let parts = crate::descriptor::split(&text)?;
        Ok(parts[..parts.len() - 1]
            .iter()
            .map(|&part| part.to_owned())
            .collect())
    }

    fn parameterized(&mut self, class: ClassId) -> Step<Vec<Invocation>> {
        let runner = self
            .class_annotations(class)
            .into_iter()
            .find(|a| a.name == "org/junit/runner/RunWith");
        let is_parameterized = matches!(
            runner.as_ref().and_then(|runner| runner.get("value")),
            Some(Value::Class(name)) if name == "Lorg/junit/runners/Parameterized;"
        );
        if !is_parameterized {
            return Ok(vec![plain()]);
        }
        let mark = "org/junit/runners/Parameterized$Parameters";
        let Some(method) = self.method_with(class, mark) else {
            return Err(Trap::unknown("no @Parameters method"));
        };
        self.ensure_init(self.methods[method as usize].class)?;
        let data = self.call_value(method, &[])?;
        let rows = self.elements_of(data)?;
        let fields = self.parameter_fields(class);
        let mut invocations = Vec::new();
        for row in rows {
            let values = self.row_of(row)?;
            let mut invocation = Invocation::default();
            if fields.is_empty() {
                let descriptors = self.constructor_params(class, values.len())?;
                for (value, descriptor) in values.into_iter().zip(&descriptors) {
                    invocation
                        .constructor
                        .push(self.as_param(value, descriptor)?);
                }
            } else {
                for (index, at, descriptor) in &fields {
                    let value = values.get(*index).copied().unwrap_or(0);
                    invocation
                        .fields
                        .push((*at, self.as_param(value, descriptor)?));
                }
            }
            invocations.push(invocation);
        }
        Ok(invocations)
    }

    /// Fields with `@Parameter`: index, word offset, descriptor.
    fn parameter_fields(&self, class: ClassId) -> Vec<(usize, u32, String)> {
        let mut found = Vec::new();
        for owner in self.lineage(class) {
            let entry = &self.classes[owner as usize];
            let Some(file) = &entry.file else { continue };
            let view = file.view();
            for (field, member) in entry.fields.iter().zip(view.fields()) {
                for annotation in annotations::read(member.attributes(), view.pool()) {
                    if annotation.name == "org/junit/runners/Parameterized$Parameter" {
                        let index = match annotation.get("value") {
                            Some(&Value::Int(_, index)) => index as usize,
                            _ => 0,
                        };
                        found.push((index, field.at, self.text(field.descriptor).to_string()));
                    }
                }
            }
        }
        found
    }

    fn constructor_params(&self, class: ClassId, count: usize) -> Step<Vec<String>> {
        for &method in &self.classes[class as usize].methods {
            let entry = &self.methods[method as usize];
            if entry.name == self.known.init && entry.params.len() == count + 1 {
                let text = self.text(entry.descriptor);
                let parts = crate::descriptor::split(&text)?;
                return Ok(parts[..count].iter().map(|&part| part.to_owned()).collect());
            }
        }
        Err(Trap::unknown("no constructor takes the parameters"))
    }

    fn method_with(&self, class: ClassId, mark: &str) -> Option<MethodId> {
        self.lineage(class).into_iter().find_map(|owner| {
            self.classes[owner as usize]
                .methods
                .iter()
                .copied()
                .find(|&method| {
                    self.method_annotations(method)
                        .iter()
                        .any(|annotation| annotation.name == mark)
                })
        })
    }

    /// The elements of an `Iterable`, stream or array.
    fn elements_of(&mut self, data: Slot) -> Step<Vec<Slot>> {
        let object = self.plain_ref(data)?;
        if object == 0 {
            return Err(Trap::unknown("test data is null"));
        }
        let class = self.class_of(object);
        if let Some(kind) = self.classes[class as usize].element_kind() {
            let mut values = Vec::new();
            for index in 0..self.heap.length(object) {
                let value = self.heap.element(kind, object, index);
                values.push(if kind == Kind::Ref {
                    value
                } else {
                    self.boxed(kind, value)?
                });
            }
            return Ok(values);
        }
        let array = if self.is_instance(class, "java/util/stream/BaseStream") {
            let boxed = ["Int", "Long", "Double"]
                .iter()
                .any(|kind| self.is_instance(class, &format!("java/util/stream/{kind}Stream")));
            let data = if boxed {
                self.call_virtual(data, "boxed", "()Ljava/util/stream/Stream;", &[])?
            } else {
                data
            };
            self.call_virtual(data, "toArray", "()[Ljava/lang/Object;", &[])?
        } else if self.is_instance(class, "java/util/Collection") {
            self.call_virtual(data, "toArray", "()[Ljava/lang/Object;", &[])?
        } else if self.is_instance(class, "java/lang/Iterable") {
            let iterator = self.call_virtual(data, "iterator", "()Ljava/util/Iterator;", &[])?;
            return self.drain(iterator);
        } else if self.is_instance(class, "java/util/Iterator") {
            return self.drain(data);
        } else {
            return Err(Trap::unknown("test data of an unknown shape"));
        };
        self.kept.extra.push(as_ref(array));
        self.elements_of(array)
    }

    fn drain(&mut self, iterator: Slot) -> Step<Vec<Slot>> {
        let mut values = Vec::new();
        loop {
            let more = self.call_virtual(iterator, "hasNext", "()Z", &[])?;
            if self.plain(more)? == 0 {
                return Ok(values);
            }
            let next = self.call_virtual(iterator, "next", "()Ljava/lang/Object;", &[])?;
            let next = self.plain(next)?;
            self.kept.extra.push(as_ref(next));
            values.push(next);
        }
    }

    fn is_instance(&self, class: ClassId, name: &str) -> bool {
        self.symbols
            .find(name)
            .and_then(|sym| self.class_by_name.get(&sym))
            .is_some_and(|&supertype| self.is_subclass(class, supertype))
    }

    /// The values of one row: an `Object[]`, an `Arguments`, or a single value.
    fn row_of(&mut self, row: Slot) -> Step<Vec<Slot>> {
        let object = self.plain_ref(row)?;
        if object == 0 {
            return Ok(vec![0]);
        }
        let class = self.class_of(object);
        if self.classes[class as usize].element_kind() == Some(Kind::Ref) {
            return Ok((0..self.heap.length(object))
                .map(|at| self.heap.word(object + HEADER + at))
                .collect());
        }
        if self.is_instance(class, "org/junit/jupiter/params/provider/Arguments") {
            let array = self.call_virtual(row, "get", "()[Ljava/lang/Object;", &[])?;
            self.kept.extra.push(as_ref(array));
            return self.row_of(array);
        }
        Ok(vec![row])
    }

    /// A boxed value as a parameter of the given type.
    fn as_param(&mut self, value: Slot, descriptor: &str) -> Step<Slot> {
        match Kind::of(descriptor) {
            Kind::Ref => Ok(value),
            kind => self.unboxed(kind, value),
        }
    }

    fn sources(
        &mut self,
        class: ClassId,
        test: &TestMethod,
        wanted: &[String],
    ) -> Step<Vec<Invocation>> {
        let mut rows: Vec<Vec<Slot>> = Vec::new();
        for annotation in &test.annotations {
            let Some(kind) = annotation
                .name
                .strip_prefix("org/junit/jupiter/params/provider/")
            else {
                continue;
            };
            let first = wanted.first().map_or("", String::as_str);
            match kind {
                "ValueSource" => self.value_source(annotation, first, &mut rows)?,
                "CsvSource" => self.csv_source(annotation, wanted, &mut rows)?,
                "MethodSource" => self.method_source(class, test, annotation, wanted, &mut rows)?,
                "EnumSource" => self.enum_source(annotation, first, &mut rows)?,
                "NullSource" => rows.push(vec![0]),
                "EmptySource" => rows.push(vec![self.empty(first)?]),
                "NullAndEmptySource" => {
                    rows.push(vec![0]);
                    rows.push(vec![self.empty(first)?]);
                }
                other => return Err(Trap::unknown(format!("@{other} is not supported"))),
            }
        }
        if rows.is_empty() {
            return Err(Trap::unknown(
                "no source of parameters that the runner knows",
            ));
        }
        let mut invocations = Vec::new();
        for row in rows {
            if row.len() < wanted.len() {
                return Err(Trap::unknown("fewer values than parameters"));
            }
            let args = row[..wanted.len()].to_vec();
            self.kept.extra.extend(
                args.iter()
                    .filter(|&&arg| arg >> 32 == 0)
                    .map(|&arg| as_ref(arg)),
            );
            invocations.push(Invocation {
                args,
                ..Invocation::default()
            });
        }
        Ok(invocations)
    }

    fn empty(&mut self, descriptor: &str) -> Step<Slot> {
        match descriptor {
            "Ljava/lang/String;" | "Ljava/lang/CharSequence;" | "Ljava/lang/Object;" => {
                Ok(u64::from(self.new_string("")?))
            }
            "Ljava/util/List;" | "Ljava/util/Collection;" => self.call_static_named(
                "java/util/Collections",
                "emptyList",
                "()Ljava/util/List;",
                &[],
            ),
            array if array.starts_with('[') => {
                let class = self.load(array)?;
                Ok(u64::from(self.new_array(class, 0)?))
            }
            other => Err(Trap::unknown(format!(
                "@EmptySource for {other} is not supported"
            ))),
        }
    }

    fn value_source(
        &mut self,
        annotation: &Annotation,
        wanted: &str,
        rows: &mut Vec<Vec<Slot>>,
    ) -> Step<()> {
        for name in [
            "strings", "ints", "longs", "doubles", "floats", "chars", "shorts", "bytes",
            "booleans", "classes",
        ] {
            for value in annotation.list(name) {
                rows.push(vec![self.annotation_value(&value, wanted)?]);
            }
        }
        Ok(())
    }

    /// An annotation's value as an argument of the wanted type.
    fn annotation_value(&mut self, value: &Value, wanted: &str) -> Step<Slot> {
        let (kind, slot) = match value {
            Value::Text(units) => {
                let text = String::from_utf16_lossy(units);
                return self.text_as(&text, wanted);
            }
            Value::Class(descriptor) => {
                let class = self.load_descriptor(descriptor)?;
                return Ok(u64::from(self.mirror(class)?));
            }
            Value::Int(tag, number) => (
                Kind::of(std::str::from_utf8(&[*tag]).unwrap_or("I")),
                int(*number),
            ),
            Value::Long(number) => (Kind::Long, *number as u64),
            Value::Float(number) => (Kind::Float, float(*number)),
            Value::Double(number) => (Kind::Double, double(*number)),
            other => {
                return Err(Trap::unknown(format!(
                    "annotation value {other:?} is not supported"
                )));
            }
        };
        let boxed = self.boxed(kind, slot)?;
        self.as_param(boxed, wanted)
    }

    /// JUnit's implicit conversion from strings.
    fn text_as(&mut self, text: &str, wanted: &str) -> Step<Slot> {
        let bad = || Trap::unknown(format!("cannot convert \"{text}\" to {wanted}"));
        let wrapper = Kind::PRIMITIVES.into_iter().find(|kind| {
            kind.wrapper()
                .is_some_and(|name| crate::descriptor::class_name(wanted) == name)
        });
        let kind = if Kind::of(wanted) == Kind::Ref {
            wrapper
        } else {
            Some(Kind::of(wanted))
        };
        let Some(kind) = kind else {
            return self.text_as_reference(text, wanted);
        };
        let value = match kind {
            Kind::Boolean => u64::from(text.eq_ignore_ascii_case("true")),
            Kind::Char => text.encode_utf16().next().map(u64::from).ok_or_else(bad)?,
            Kind::Float => float(
                text.trim_end_matches(['f', 'F'])
                    .parse()
                    .map_err(|_| bad())?,
            ),
            Kind::Double => double(
                text.trim_end_matches(['d', 'D'])
                    .parse()
                    .map_err(|_| bad())?,
            ),
            Kind::Long => parse_integer(text).ok_or_else(bad)? as u64,
            _ => int(parse_integer(text).ok_or_else(bad)? as i32),
        };
        if wrapper.is_some() {
            self.boxed(kind, value)
        } else {
            Ok(value)
        }
    }

    fn text_as_reference(&mut self, text: &str, wanted: &str) -> Step<Slot> {
        let string = u64::from(self.new_string(text)?);
        if matches!(
            wanted,
            "Ljava/lang/String;" | "Ljava/lang/CharSequence;" | "Ljava/lang/Object;"
        ) {
            return Ok(string);
        }
        if wanted == "Ljava/lang/Class;" {
            let class = self.load_for_name(text)?;
            return Ok(u64::from(self.mirror(class)?));
        }
        let class = self.load_descriptor(wanted)?;
        self.ensure_init(class)?;
        for (name, param) in [
            ("valueOf", "Ljava/lang/String;"),
            ("parse", "Ljava/lang/CharSequence;"),
            ("of", "Ljava/lang/String;"),
        ] {
            let descriptor = format!("({param}){wanted}");
            if let Some(method) = self.method_named(class, name, &descriptor) {
                return self.call_value(method, &[string]);
            }
        }
        Ok(u64::from(self.construct(
            class,
            "(Ljava/lang/String;)V",
            &[string],
        )?))
    }

    fn csv_source(
        &mut self,
        annotation: &Annotation,
        wanted: &[String],
        rows: &mut Vec<Vec<Slot>>,
    ) -> Step<()> {
        if annotation.get("textBlock").is_some() {
            return Err(Trap::unknown(
                "@CsvSource with a text block is not supported",
            ));
        }
        let delimiter = match annotation.get("delimiter") {
            Some(&Value::Int(_, unit)) if unit != 0 => char::from_u32(unit as u32).unwrap_or(','),
            _ => ',',
        };
        for value in annotation.list("value") {
            let Value::Text(units) = value else { continue };
            let line = String::from_utf16_lossy(&units);
            let mut row = Vec::new();
            for (column, wanted) in split_csv(&line, delimiter).into_iter().zip(wanted) {
                row.push(match column {
                    Some(text) => self.text_as(&text, wanted)?,
                    None => 0,
                });
            }
            rows.push(row);
        }
        Ok(())
    }

    fn method_source(
        &mut self,
        class: ClassId,
        test: &TestMethod,
        annotation: &Annotation,
        wanted: &[String],
        rows: &mut Vec<Vec<Slot>>,
    ) -> Step<()> {
        let mut names: Vec<String> = annotation
            .list("value")
            .into_iter()
            .filter_map(|value| match value {
                Value::Text(units) => Some(String::from_utf16_lossy(&units)),
                _ => None,
            })
            .filter(|name| !name.is_empty())
            .collect();
        if names.is_empty() {
            names.push(test.method.clone());
        }
        for name in names {
            let (owner, name) = match name.split_once('#') {
                Some((owner, name)) => (self.load(&owner.replace('.', "/"))?, name.to_owned()),
                None => (class, name),
            };
            let name = name.trim_end_matches("()").to_owned();
            let method = self.lineage(owner).into_iter().find_map(|owner| {
                self.classes[owner as usize]
                    .methods
                    .iter()
                    .copied()
                    .find(|&method| {
                        let entry = &self.methods[method as usize];
                        *self.text(entry.name) == *name
                            && entry.access.is_static()
                            && entry.params.is_empty()
                    })
            });
            let method = method.ok_or_else(|| {
                Trap::unknown(format!("no static method {name} for @MethodSource"))
            })?;
            self.ensure_init(self.methods[method as usize].class)?;
            let data = self.call_value(method, &[])?;
            self.kept.extra.push(as_ref(data));
            for row in self.elements_of(data)? {
                let values = if wanted.len() == 1 && !self.is_arguments(row)? {
                    vec![row]
                } else {
                    self.row_of(row)?
                };
                let mut args = Vec::new();
                for (value, descriptor) in values.into_iter().zip(wanted) {
                    args.push(self.as_param(value, descriptor)?);
                }
                rows.push(args);
            }
        }
        Ok(())
    }

    /// Whether a row is an `Arguments` or `Object[]` rather than a value of its own.
    fn is_arguments(&mut self, row: Slot) -> Step<bool> {
        let object = self.plain_ref(row)?;
        if object == 0 {
            return Ok(false);
        }
        let class = self.class_of(object);
        let object_array = self.array_of(self.known.object);
        Ok(class == object_array
            || self.is_instance(class, "org/junit/jupiter/params/provider/Arguments"))
    }

    fn enum_source(
        &mut self,
        annotation: &Annotation,
        wanted: &str,
        rows: &mut Vec<Vec<Slot>>,
    ) -> Step<()> {
        let class = match annotation.get("value") {
            Some(Value::Class(descriptor)) if descriptor != "Ljava/lang/NullEnum;" => {
                self.load_descriptor(descriptor)?
            }
            _ => self.load_descriptor(wanted)?,
        };
        self.ensure_init(class)?;
        if annotation.get("mode").is_some() {
            return Err(Trap::unknown("@EnumSource with a mode is not supported"));
        }
        let descriptor = format!("()[{}", self.descriptor_of(class));
        let method = self.method_of(class, "values", &descriptor)?;
        let values = self.call_value(method, &[])?;
        let names: Vec<String> = annotation
            .list("names")
            .into_iter()
            .filter_map(|value| match value {
                Value::Text(units) => Some(String::from_utf16_lossy(&units)),
                _ => None,
            })
            .collect();
        for value in self.elements_of(values)? {
            let name = self.get_named(as_ref(value), "name").unwrap_or(0);
            if names.is_empty() || names.contains(&self.string(name)?) {
                rows.push(vec![value]);
            }
        }
        Ok(())
    }
}

fn plain() -> Invocation {
    Invocation {
        plain: true,
        ..Invocation::default()
    }
}

fn parse_integer(text: &str) -> Option<i64> {
    let text = text.replace('_', "");
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.as_str()),
    };
    let value = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

/// Splits a line of `@CsvSource`: unquoted empty columns are null, single quotes quote.
fn split_csv(line: &str, delimiter: char) -> Vec<Option<String>> {
    let mut columns = Vec::new();
    let (mut text, mut quoted, mut was_quoted) = (String::new(), false, false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' if quoted && chars.peek() == Some(&'\'') => {
                text.push('\'');
                chars.next();
            }
            '\'' if quoted => quoted = false,
            '\'' if text.trim().is_empty() => {
                (quoted, was_quoted) = (true, true);
                text.clear();
            }
            c if c == delimiter && !quoted => {
                columns.push(column(std::mem::take(&mut text), was_quoted));
                was_quoted = false;
            }
            c => text.push(c),
        }
    }
    columns.push(column(text, was_quoted));
    columns
}

fn column(text: String, quoted: bool) -> Option<String> {
    if quoted {
        return Some(text);
    }
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_lines_split_as_junit_splits_them() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            split_csv("a, b ,,'', 'x,y'", ','),
            [some("a"), some("b"), None, some(""), some("x,y")]
        );
    }
}
