//! Signatures as people, tools and the JVM write them.

use super::unit::{ErasedType, Method, Parameter, TypeDecl};

/// The method that a patch means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// `<init>` or a name; a constructor may also have the name of its class.
    name: String,
    /// Each way to read the parameters; empty if the signature has none.
    readings: Vec<Vec<ErasedType>>,
}

impl Signature {
    /// Reads `foo`, `foo(int, java.lang.String)`, `public void foo(final List<String> a)`,
    /// `a.B#foo(int)` or `foo(ILjava/lang/String;)V`. Never fails: what makes no sense matches
    /// nothing.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        let (head, rest) = match text.split_once('(') {
            Some((head, rest)) => (head, Some(rest)),
            None => (text, None),
        };
        let name = head
            .trim_end()
            .rsplit([' ', '\t', '\n', '.', '#', ':'])
            .next()
            .unwrap_or("");
        let mut readings = Vec::new();
        if let Some(rest) = rest {
            let (parameters, after) = closed(rest);
            readings.extend(descriptor(parameters).filter(|_| !after.trim().is_empty()));
            if readings.is_empty() {
                readings.push(source_types(parameters));
                readings.extend(descriptor(parameters));
            }
        }
        Self {
            name: name.to_owned(),
            readings,
        }
    }

    /// The methods of `decl` that it fits best.
    pub(crate) fn find<'d>(&self, decl: &'d TypeDecl) -> Vec<&'d Method> {
        let simple = decl.name.rsplit('.').next().unwrap_or(&decl.name);
        let is_named = |method: &&Method| {
            method.name == self.name || (method.name == "<init>" && self.name == simple)
        };
        let named: Vec<&Method> = decl.methods.iter().filter(is_named).collect();
        if self.readings.is_empty() {
            return named;
        }
        for reading in &self.readings {
            let mut fitting = fitting(&named, reading);
            if fitting.is_empty() && self.is_constructor(simple) {
                fitting = self.without_hidden(decl, &named, reading);
            }
            if !fitting.is_empty() {
                return fitting;
            }
        }
        Vec::new()
    }

    fn is_constructor(&self, simple: &str) -> bool {
        self.name == "<init>" || self.name == simple
    }

    /// Constructors in descriptors have parameters that their source has not: an enum's name and
    /// ordinal, the enclosing instance of an inner class.
    fn without_hidden<'d>(
        &self,
        decl: &TypeDecl,
        named: &[&'d Method],
        reading: &[ErasedType],
    ) -> Vec<&'d Method> {
        let hidden = match decl.name.rsplit_once('.') {
            _ if decl.is_enum => 2,
            Some((outer, _))
                if reading
                    .first()
                    .is_some_and(|first| ends_in(&first.name, outer)) =>
            {
                1
            }
            _ => return Vec::new(),
        };
        reading
            .get(hidden..)
            .map_or_else(Vec::new, |rest| fitting(named, rest))
    }
}

/// The methods with these parameters; only those that fit word for word if there are any.
fn fitting<'d>(named: &[&'d Method], wanted: &[ErasedType]) -> Vec<&'d Method> {
    let fits = |method: &&&Method, same: fn(&Parameter, &ErasedType) -> bool| {
        method.parameters.len() == wanted.len()
            && method
                .parameters
                .iter()
                .zip(wanted)
                .all(|(declared, wanted)| same(declared, wanted))
    };
    let all: Vec<_> = named
        .iter()
        .filter(|method| fits(method, is_like))
        .copied()
        .collect();
    let exact: Vec<_> = named
        .iter()
        .filter(|method| fits(method, |declared, wanted| declared.declared == *wanted))
        .copied()
        .collect();
    if exact.len() == 1 { exact } else { all }
}

fn is_like(parameter: &Parameter, wanted: &ErasedType) -> bool {
    let like = |declared: &ErasedType| {
        declared.dimensions == wanted.dimensions
            && (ends_in(&wanted.name, &declared.name) || ends_in(&declared.name, &wanted.name))
    };
    like(&parameter.declared) || parameter.erasure.as_ref().is_some_and(like)
}

/// Whether the last components of `name` are `tail`.
fn ends_in(name: &str, tail: &str) -> bool {
    name.strip_suffix(tail)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Splits at the parenthesis that closes the one before `text`.
fn closed(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return (&text[..at], &text[at + 1..]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    (text, "")
}

/// Reads `ILjava/lang/String;[J`.
fn descriptor(text: &str) -> Option<Vec<ErasedType>> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let dimensions = rest.len() - element.len();
        let (name, after) = match element.strip_prefix('L') {
            Some(class) => {
                let (class, after) = class.split_once(';')?;
                (class.replace(['/', '$'], "."), after)
            }
            None => {
                let name = match element.chars().next()? {
                    'B' => "byte",
                    'C' => "char",
                    'D' => "double",
                    'F' => "float",
                    'I' => "int",
                    'J' => "long",
                    'S' => "short",
                    'Z' => "boolean",
                    _ => return None,
                };
                (name.to_owned(), &element[1..])
            }
        };
        out.push(ErasedType { name, dimensions });
        rest = after;
    }
    Some(out)
}

/// Reads `int, final java.util.List<String> names, Object... rest`.
fn source_types(text: &str) -> Vec<ErasedType> {
    let plain = without_arguments(text);
    plain
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(source_type)
        .collect()
}

/// Without what stands in angle brackets or, after annotations, in parentheses.
fn without_arguments(text: &str) -> String {
    let mut depth = 0usize;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => {
                depth = depth.saturating_sub(1);
                // Keeps `List<String> a` two words.
                out.push(' ');
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

fn source_type(text: &str) -> ErasedType {
    let dimensions = text.matches('[').count() + usize::from(text.contains("..."));
    let text = text
        .replace("...", " ")
        .replace(['[', ']'], " ")
        .replace('$', ".");
    let name = text
        .split_whitespace()
        .find(|word| *word != "final" && !word.starts_with('@'));
    let name = name.unwrap_or("").trim_end_matches('.').replace('/', ".");
    ErasedType { name, dimensions }
}

#[cfg(test)]
mod tests {
    use super::super::Unit;
    use super::*;

    const SOURCE: &str = r"
package com.x;
class A<T extends Comparable<T>> {
    A() {}
    A(int a) {}
    void foo() {}
    void foo(int a, String... b) {}
    void foo(int a, java.lang.String b) {}
    <E> E bar(final java.util.List<? extends E> list, E[] e, int c[]) { return null; }
    int baz(T t) { return 0; }
    int baz(Object o) { return 1; }
    void entry(Map.Entry<String, T> e) {}
    class Inner { Inner(int a) {} }
    enum E { ONE { void f() {} }; E() {} E(int a) {} void f() {} }
    record R(int a, String b) { R { } }
}
";

    fn find(class: &str, signature: &str) -> Vec<String> {
        let decl = Unit::parse(SOURCE.as_bytes()).into_type(class).unwrap();
        Signature::parse(signature)
            .find(&decl)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn signatures_in_every_notation_find_their_method() {
        let a = |signature: &str| find("com.x.A", signature).join(" | ");
        for (signature, found) in [
            ("foo()", "foo()"),
            ("foo()V", "foo()"),
            ("foo(int, String)", "foo(int, java.lang.String)"),
            ("foo(int, java.lang.String)", "foo(int, java.lang.String)"),
            ("foo(ILjava/lang/String;)V", "foo(int, java.lang.String)"),
            ("foo(I[Ljava/lang/String;)V", "foo(int, String[])"),
            ("void foo(int x, String... y)", "foo(int, String[])"),
            ("com.x.A#foo(int, String[])", "foo(int, String[])"),
            (
                "bar(java.util.List, Object[], int[])",
                "bar(java.util.List, E[], int[])",
            ),
            (
                "bar(Ljava/util/List;[Ljava/lang/Object;[I)Ljava/lang/Object;",
                "bar(java.util.List, E[], int[])",
            ),
            (
                "public <E> E bar(final List<? extends E> list, E[] e, int[] c)",
                "bar(java.util.List, E[], int[])",
            ),
            ("bar", "bar(java.util.List, E[], int[])"),
            ("baz(T)", "baz(T)"),
            ("baz(Ljava/lang/Comparable;)I", "baz(T)"),
            ("baz(Object)", "baz(Object)"),
            ("entry(Ljava/util/Map$Entry;)V", "entry(Map.Entry)"),
            ("entry(java.util.Map.Entry)", "entry(Map.Entry)"),
            ("A(int)", "<init>(int)"),
            ("<init>()", "<init>()"),
            ("foo(long)", ""),
            ("nothing", ""),
            ("((((", ""),
            ("", ""),
        ] {
            assert_eq!(a(signature), found, "{signature}");
        }
        assert_eq!(
            a("foo"),
            "foo() | foo(int, String[]) | foo(int, java.lang.String)"
        );
    }

    #[test]
    fn hidden_constructor_parameters_are_known() {
        assert_eq!(
            find("com.x.A.Inner", "<init>(Lcom/x/A;I)V"),
            ["<init>(int)"]
        );
        assert_eq!(find("com.x.A.Inner", "Inner(int)"), ["<init>(int)"]);
        assert_eq!(
            find("com.x.A.E", "<init>(Ljava/lang/String;II)V"),
            ["<init>(int)"]
        );
        assert_eq!(find("com.x.A.R", "R(int, String)"), ["<init>(int, String)"]);
        assert_eq!(find("A.E", "f"), ["f()"]);
    }
}
