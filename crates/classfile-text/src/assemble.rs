//! From text to a class.

use std::iter::Peekable;

use braid_classfile::{AccessFlags, ClassFile, Editor, Hierarchy, JStr, new_class};

use crate::assemble_code::CodeAssembler;
use crate::constant;
use crate::flags::{Place, from_words};
use crate::lex::{Words, syntax, unquote};
use crate::{Error, Result};

/// The lines of a text that are not empty.
pub(crate) type Lines = Peekable<std::vec::IntoIter<Words>>;

/// The bytes of the class that a text describes.
///
/// A method with `frame` lines keeps them, and its `limits`; the frames of all others are computed
/// with the hierarchy.
pub fn assemble(text: &str, hierarchy: &dyn Hierarchy) -> Result<Vec<u8>> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = Words::of(number + 1, line)?;
        if !line.is_empty() {
            words.push(line);
        }
    }
    let mut lines: Lines = words.into_iter().peekable();
    let header = Header::read(&mut lines)?;
    let parent = header.parent.as_deref().map(String::from_utf8_lossy);
    let own = JStr::new(&header.name);
    let bytes = new_class(header.version.0, header.access, own, parent.as_deref())?;
    let class = ClassFile::parse(&bytes)?;
    let mut editor = Editor::new(&class);
    editor.set_version(header.version.0, header.version.1);
    for interface in &header.interfaces {
        editor.add_interface(JStr::new(interface))?;
    }
    class_items(&mut lines, &mut editor)?;
    while let Some(words) = lines.next() {
        member(words, &mut lines, &mut editor, hierarchy)?;
    }
    Ok(editor.finish()?)
}

struct Header {
    version: (u16, u16),
    access: AccessFlags,
    name: Vec<u8>,
    parent: Option<Vec<u8>>,
    interfaces: Vec<Vec<u8>>,
}

impl Header {
    fn read(lines: &mut Lines) -> Result<Header> {
        let mut version = (61, 0);
        if let Some(mut words) = lines.next_if(|words| words.peek() == Some("version")) {
            words.take("version");
            version.0 = words.number("version")?;
            if !words.is_empty() {
                version.1 = words.number("minor version")?;
            }
            words.end()?;
        }
        let missing = || syntax(1, "a class starts with a line \"class\"");
        let mut words = lines.next().ok_or_else(missing)?;
        if !words.take("class") {
            return Err(words.error("\"class\" is missing"));
        }
        let all = words.rest();
        let is = |word: &str| all.iter().position(|other| other == word);
        let extends = is("extends").unwrap_or(all.len());
        let implements = is("implements").unwrap_or(all.len());
        let Some((own, flags)) = all[..extends.min(implements)].split_last() else {
            return Err(words.error("the class's name is missing"));
        };
        let name = |word: &String| unquote(word).ok_or_else(|| words.error("malformed name"));
        Ok(Header {
            version,
            access: from_words(flags, Place::Class).map_err(|m| words.error(m))?,
            name: name(own)?,
            parent: all.get(extends + 1).map(name).transpose()?,
            interfaces: all
                .iter()
                .skip(implements + 1)
                .map(name)
                .collect::<Result<_>>()?,
        })
    }
}

/// Lines between the class and its first member.
fn class_items(lines: &mut Lines, editor: &mut Editor<'_>) -> Result<()> {
    let (mut nest, mut permits, mut inner) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(mut words) =
        lines.next_if(|words| !matches!(words.peek(), Some("field" | "method")))
    {
        let word = words.word("item")?;
        match word.as_str() {
            "source" => {
                let index = editor.pool_mut().utf8(JStr::new(&words.name("file")?))?;
                editor.set_attribute("SourceFile", Some(index.to_be_bytes().to_vec()))?;
            }
            "nesthost" => {
                let index = editor.pool_mut().class(JStr::new(&words.name("class")?))?;
                editor.set_attribute("NestHost", Some(index.to_be_bytes().to_vec()))?;
            }
            "nestmember" => nest.push(class_name(&mut words, editor)?),
            "permits" => permits.push(class_name(&mut words, editor)?),
            "inner" => inner.push(inner_class(&mut words, editor)?),
            _ => {
                let (name, content) = common(&word, &mut words, editor)?;
                editor.set_attribute(name, Some(content))?;
            }
        }
        words.end()?;
    }
    let lists = [
        ("NestMembers", nest),
        ("PermittedSubclasses", permits),
        ("InnerClasses", inner),
    ];
    for (name, entries) in lists.into_iter().filter(|(_, entries)| !entries.is_empty()) {
        editor.set_attribute(name, Some(counted(entries)))?;
    }
    Ok(())
}

/// Entries behind their number.
fn counted(entries: Vec<Vec<u8>>) -> Vec<u8> {
    let mut content = (entries.len() as u16).to_be_bytes().to_vec();
    entries.iter().for_each(|entry| content.extend(entry));
    content
}

fn class_name(words: &mut Words, editor: &mut Editor<'_>) -> Result<Vec<u8>> {
    let index = editor.pool_mut().class(JStr::new(&words.name("class")?))?;
    Ok(index.to_be_bytes().to_vec())
}

fn inner_class(words: &mut Words, editor: &mut Editor<'_>) -> Result<Vec<u8>> {
    let count = words.rest().len();
    let mut flags = Vec::new();
    for _ in 3..count {
        flags.push(words.word("flag")?);
    }
    let access = from_words(&flags, Place::Class).map_err(|m| words.error(m))?;
    let mut entry = class_name(words, editor)?;
    if words.take("-") {
        entry.extend([0, 0]);
    } else {
        entry.extend(class_name(words, editor)?);
    }
    let name = if words.take("-") {
        0
    } else {
        editor
            .pool_mut()
            .utf8(JStr::new(&words.name("simple name")?))?
    };
    entry.extend(name.to_be_bytes());
    entry.extend(access.0.to_be_bytes());
    Ok(entry)
}

/// Attributes that classes and members share: name and content.
fn common(
    word: &str,
    words: &mut Words,
    editor: &mut Editor<'_>,
) -> Result<(&'static str, Vec<u8>)> {
    Ok(match word {
        "signature" => {
            let index = editor
                .pool_mut()
                .utf8(JStr::new(&words.name("signature")?))?;
            ("Signature", index.to_be_bytes().to_vec())
        }
        "deprecated" => ("Deprecated", Vec::new()),
        "synthetic" => ("Synthetic", Vec::new()),
        other => return Err(words.error(format!("{other:?} is not known here"))),
    })
}

/// A field or method with everything that belongs to it.
fn member(
    mut words: Words,
    lines: &mut Lines,
    editor: &mut Editor<'_>,
    hierarchy: &dyn Hierarchy,
) -> Result<()> {
    let is_field = words.take("field");
    if !is_field && !words.take("method") {
        return Err(words.error("\"field\" or \"method\" is missing"));
    }
    let count = words.rest().len();
    let mut flags = Vec::new();
    for _ in 2..count {
        flags.push(words.word("flag")?);
    }
    let place = if is_field {
        Place::Field
    } else {
        Place::Method
    };
    let access = from_words(&flags, place).map_err(|m| words.error(m))?;
    let name = words.name("name")?;
    let descriptor = words.name("descriptor")?;
    let (name, descriptor) = (JStr::new(&name), JStr::new(&descriptor));
    if is_field {
        let field = editor.add_field(access, name, descriptor)?;
        return field_items(lines, editor, field);
    }
    let method = editor.add_method(access, name, descriptor)?;
    method_items(lines, editor, method)?;
    let code = |words: &Words| !matches!(words.peek(), Some("field" | "method"));
    if lines.peek().is_some_and(code) {
        let line = words.line;
        CodeAssembler::default()
            .assemble(lines, editor, method, hierarchy)
            .map_err(|error| match error {
                Error::Class { line: 0, source } => Error::Class { line, source },
                other => other,
            })?;
    }
    Ok(())
}

fn field_items(lines: &mut Lines, editor: &mut Editor<'_>, field: usize) -> Result<()> {
    while let Some(mut words) =
        lines.next_if(|words| !matches!(words.peek(), Some("field" | "method")))
    {
        let word = words.word("item")?;
        let (name, content) = match word.as_str() {
            "constant" => {
                let (index, _) = constant::read(&mut words, editor)?;
                ("ConstantValue", index.to_be_bytes().to_vec())
            }
            _ => common(&word, &mut words, editor)?,
        };
        editor.set_field_attribute(field, name, Some(content))?;
        words.end()?;
    }
    Ok(())
}

/// Attributes of a method that stand before its code.
fn method_items(lines: &mut Lines, editor: &mut Editor<'_>, method: usize) -> Result<()> {
    let items = ["throws", "signature", "deprecated", "synthetic"];
    let mut throws = Vec::new();
    while let Some(mut words) =
        lines.next_if(|words| words.peek().is_some_and(|word| items.contains(&word)))
    {
        let word = words.word("item")?;
        if word == "throws" {
            throws.push(class_name(&mut words, editor)?);
        } else {
            let (name, content) = common(&word, &mut words, editor)?;
            editor.set_method_attribute(method, name, Some(content))?;
        }
        words.end()?;
    }
    if !throws.is_empty() {
        editor.set_method_attribute(method, "Exceptions", Some(counted(throws)))?;
    }
    Ok(())
}
