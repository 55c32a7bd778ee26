//! Mails of `git format-patch`, one after another.

use std::io::{self, BufRead};

use super::detect::Reader;
use super::draft::{Draft, Drafts, Place};
use super::text::diff_draft;
use crate::diff::Source;
use crate::{Format, ReadProblem};

/// The patches of a mailbox: one a mail, but a numbered series together is one.
pub(super) fn drafts(place: Place, reader: Reader) -> Drafts {
    Box::new(Mails {
        place,
        reader,
        next: None,
        line: 1,
        number: 0,
        done: false,
    })
}

/// Whether `text` begins with the line that begins each mail: `From`, a hash and a date.
pub(super) fn starts_mail(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"From ") else {
        return false;
    };
    let hash = rest
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    hash >= 40 && rest.get(hash) == Some(&b' ')
}

struct Mails {
    place: Place,
    reader: Reader,
    /// The first line of the next mail, read already.
    next: Option<Vec<u8>>,
    line: usize,
    number: usize,
    done: bool,
}

/// One mail.
struct Mail {
    line: usize,
    text: Vec<u8>,
    /// `(n, m)` of `[PATCH n/m]`.
    series: Option<(usize, usize)>,
    encoded: bool,
}

impl Iterator for Mails {
    type Item = Draft;

    fn next(&mut self) -> Option<Draft> {
        if self.done {
            return None;
        }
        let mail = match self.whole_series() {
            Ok(Some(mail)) => mail,
            Ok(None) => return None,
            Err(problem) => {
                self.done = true;
                return Some(self.place.draft(self.line, Format::Mail, Err(problem)));
            }
        };
        self.number += 1;
        let single = self.number == 1 && self.next.is_none();
        let mut draft = if mail.encoded {
            let what = "a mail whose body is encoded; save it with `git format-patch --stdout`";
            let problem = ReadProblem::Unsupported(what.to_owned());
            self.place.draft(mail.line, Format::Mail, Err(problem))
        } else {
            diff_draft(&self.place, mail.text, Source::File, mail.line)
        };
        draft.format = Format::Mail;
        if !single {
            draft.id = format!("{}#{}", self.place.stem, self.number);
        }
        Some(draft)
    }
}

impl Mails {
    /// A mail and those that continue its series.
    fn whole_series(&mut self) -> Result<Option<Mail>, ReadProblem> {
        let Some(mut mail) = self.mail()? else {
            return Ok(None);
        };
        while let Some((number, of)) = mail.series
            && number < of
        {
            let Some(more) = self.mail()? else { break };
            mail.text.extend(more.text);
            mail.encoded |= more.encoded;
            mail.series = more.series.map(|_| (number + 1, of));
            if mail.text.len() > self.place.limit {
                return Err(ReadProblem::TooLarge {
                    limit: self.place.limit,
                });
            }
        }
        Ok(Some(mail))
    }

    fn mail(&mut self) -> Result<Option<Mail>, ReadProblem> {
        let mut text = match self.next.take() {
            Some(line) => line,
            None => match self.read_line()? {
                Some(line) => line,
                None => return Ok(None),
            },
        };
        let mut mail = Mail {
            line: self.line,
            text: Vec::new(),
            series: None,
            encoded: false,
        };
        let mut in_head = true;
        self.line += 1;
        while let Some(line) = self.read_line()? {
            if starts_mail(&line) {
                self.next = Some(line);
                break;
            }
            self.line += 1;
            in_head &= !line.trim_ascii().is_empty();
            if in_head {
                read_header(&line, &mut mail);
            }
            text.extend(line);
            if text.len() > self.place.limit {
                return Err(ReadProblem::TooLarge {
                    limit: self.place.limit,
                });
            }
        }
        mail.text = text;
        Ok(Some(mail))
    }

    fn read_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        // A line longer than the limit is cut; the mail is refused for its size right after.
        let limit = self.place.limit as u64 + 1;
        let read = io::Read::take(&mut self.reader, limit).read_until(b'\n', &mut line)?;
        Ok((read > 0).then_some(line))
    }
}

fn read_header(line: &[u8], mail: &mut Mail) {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    if let Some(subject) = line.strip_prefix("subject:") {
        mail.series = series(subject);
    } else if let Some(encoding) = line.strip_prefix("content-transfer-encoding:") {
        mail.encoded = matches!(encoding.trim(), "quoted-printable" | "base64");
    }
}

/// The numbers of `[patch v2 1/3]`.
fn series(subject: &str) -> Option<(usize, usize)> {
    let (_, rest) = subject.split_once('[')?;
    let (tag, _) = rest.split_once(']')?;
    let (number, of) = tag
        .split_whitespace()
        .find_map(|word| word.split_once('/'))?;
    Some((number.parse().ok()?, of.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_subjects_are_series() {
        assert_eq!(series(" [patch 2/3] fix"), Some((2, 3)));
        assert_eq!(series(" [patch v2 02/10] fix"), Some((2, 10)));
        assert_eq!(series(" [patch] a/b"), None);
        assert_eq!(series(" fix"), None);
    }
}
