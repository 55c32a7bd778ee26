//! Cutting a stream of JSON into its objects without holding more than one.

use std::io::{BufRead, Read};

use super::super::detect::Reader;
use super::super::draft::Place;
use crate::ReadProblem;

/// One object and the line on which it begins.
pub(super) struct Element {
    pub(super) line: usize,
    pub(super) bytes: Result<Vec<u8>, ReadProblem>,
}

/// The objects of a file, in one of two ways.
///
/// JSON Lines are cut at line ends, so that a broken line spoils only itself. Arrays and objects
/// spread over lines are cut by counting brackets outside strings; after a mistake there, nothing
/// more can be trusted, and reading ends.
pub(super) struct Elements {
    reader: Reader,
    limit: usize,
    by_line: bool,
    line: usize,
    in_array: bool,
    done: bool,
}

impl Elements {
    pub(super) fn new(reader: Reader, head: &[u8], place: &Place) -> Self {
        let by_line = is_lines(head, &place.extension());
        Self {
            reader,
            limit: place.limit,
            by_line,
            line: 1,
            in_array: false,
            done: false,
        }
    }

    fn next_line(&mut self) -> Option<Element> {
        loop {
            let line = self.line;
            let mut bytes = Vec::new();
            let limit = self.limit as u64 + 1;
            match self
                .reader
                .by_ref()
                .take(limit)
                .read_until(b'\n', &mut bytes)
            {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return self.fail(line, error.into()),
            }
            self.line += 1;
            if bytes.len() > self.limit {
                if let Err(error) = self.reader.skip_until(b'\n') {
                    return self.fail(line, error.into());
                }
                let problem = ReadProblem::TooLarge { limit: self.limit };
                return Some(Element {
                    line,
                    bytes: Err(problem),
                });
            }
            let text = bytes
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(&bytes)
                .trim_ascii();
            if !text.is_empty() {
                return Some(Element {
                    line,
                    bytes: Ok(text.to_vec()),
                });
            }
        }
    }

    fn fail(&mut self, line: usize, problem: ReadProblem) -> Option<Element> {
        self.done = true;
        Some(Element {
            line,
            bytes: Err(problem),
        })
    }

    fn next_balanced(&mut self) -> Option<Element> {
        let mut cut = Cut::default();
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) => {
                    let line = self.line;
                    return self.fail(line, error.into());
                }
            };
            if chunk.is_empty() {
                return self.at_end(cut);
            }
            let len = chunk.len();
            match cut.feed(chunk, &mut self.line, &mut self.in_array) {
                Fed::More => self.reader.consume(len),
                Fed::Done(used) => {
                    self.reader.consume(used);
                    return Some(Element {
                        line: cut.line,
                        bytes: Ok(cut.bytes),
                    });
                }
                Fed::Wrong(byte) => {
                    let line = self.line;
                    let what = format!(
                        "expected an object that starts with `{{`, found {:?}",
                        char::from(byte)
                    );
                    return self.fail(
                        line,
                        ReadProblem::Json {
                            line,
                            column: 1,
                            what,
                        },
                    );
                }
            }
            if cut.bytes.len() > self.limit {
                return self.fail(cut.line, ReadProblem::TooLarge { limit: self.limit });
            }
        }
    }

    fn at_end(&mut self, cut: Cut) -> Option<Element> {
        self.done = true;
        if cut.bytes.is_empty() {
            return None;
        }
        let what = format!(
            "the file ends inside the object that begins at line {}; it was probably truncated",
            cut.line
        );
        let problem = ReadProblem::Json {
            line: self.line,
            column: 1,
            what,
        };
        Some(Element {
            line: cut.line,
            bytes: Err(problem),
        })
    }
}

impl Iterator for Elements {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        if self.done {
            return None;
        }
        if self.by_line {
            self.next_line()
        } else {
            self.next_balanced()
        }
    }
}

/// An object as its bytes come in.
#[derive(Default)]
struct Cut {
    bytes: Vec<u8>,
    line: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

enum Fed {
    More,
    /// Complete after so many bytes of the chunk.
    Done(usize),
    Wrong(u8),
}

impl Cut {
    fn feed(&mut self, chunk: &[u8], line: &mut usize, in_array: &mut bool) -> Fed {
        let mut start = 0;
        for (at, &byte) in chunk.iter().enumerate() {
            *line += usize::from(byte == b'\n');
            if self.depth == 0 {
                match byte {
                    b'{' => {
                        self.depth = 1;
                        self.line = *line;
                        start = at;
                    }
                    b'[' if !*in_array => *in_array = true,
                    b']' if *in_array => *in_array = false,
                    b',' | b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => {}
                    _ => return Fed::Wrong(byte),
                }
                continue;
            }
            self.step(byte);
            if self.depth == 0 {
                self.bytes.extend_from_slice(&chunk[start..=at]);
                return Fed::Done(at + 1);
            }
        }
        if self.depth > 0 {
            self.bytes.extend_from_slice(&chunk[start..]);
        }
        Fed::More
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
        }
    }
}

/// Whether the file has one object a line.
fn is_lines(head: &[u8], extension: &str) -> bool {
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    if text.first() != Some(&b'{') {
        return false;
    }
    let Some(newline) = memchr::memchr(b'\n', text) else {
        return matches!(extension, "jsonl" | "ndjson");
    };
    let (first, rest) = text.split_at(newline);
    let rest = rest.trim_ascii_start();
    let second = memchr::memchr(b'\n', rest).map_or(rest, |newline| &rest[..newline]);
    // In a file that is called JSON Lines, a broken first line is still a line.
    is_object(first) || (matches!(extension, "jsonl" | "ndjson") && is_object(second))
}

/// Whether the line is one whole object.
fn is_object(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let whole = Cut::default().feed(line, &mut 0, &mut false);
    matches!(whole, Fed::Done(used) if used == line.len())
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};
    use std::path::PathBuf;

    use super::*;

    fn cut(name: &str, text: &str, capacity: usize) -> Vec<(usize, Option<String>)> {
        let place = Place {
            file: PathBuf::from(name),
            stem: "x".into(),
            limit: 1 << 20,
            certain: true,
        };
        let reader = BufReader::with_capacity(capacity, Cursor::new(text.as_bytes().to_vec()));
        Elements::new(Box::new(reader), text.as_bytes(), &place)
            .map(|element| {
                (
                    element.line,
                    element
                        .bytes
                        .ok()
                        .map(|bytes| String::from_utf8(bytes).unwrap()),
                )
            })
            .collect()
    }

    #[test]
    fn every_layout_gives_the_same_objects() {
        let objects = [r#"{"a":"}]\"{"}"#, r#"{"b":[{"c":1}]}"#];
        let [a, b] = objects;
        for text in [
            format!("{a}\n{b}\n"),
            format!("{a}\n\n{b}"),
            format!("[{a},{b}]"),
            format!("[\n{a},\n{b}\n]\n"),
            format!("{a}{b}"),
            format!("{a} {b}"),
        ] {
            for capacity in [1, 2, 7, 1000] {
                let found: Vec<_> = cut("x", &text, capacity)
                    .into_iter()
                    .map(|(_, text)| text.unwrap())
                    .collect();
                assert_eq!(found, objects, "{text} {capacity}");
            }
        }
    }

    #[test]
    fn a_broken_line_spoils_only_itself() {
        let found = cut("x.jsonl", "{\"a\": \n{\"b\": 1}\n", 10);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1], (2, Some("{\"b\": 1}".to_owned())));
    }

    #[test]
    fn a_truncated_array_gives_its_whole_objects_and_an_error() {
        let found = cut("x", "[{\"a\":1},\n{\"b\":", 3);
        assert_eq!(found, [(1, Some("{\"a\":1}".to_owned())), (2, None)]);
    }
}
