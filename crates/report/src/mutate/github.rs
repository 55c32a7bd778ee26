//! GitHub workflow commands: an annotation for each mutant that tests reach and do not notice, and one for each line
//! that has mutants no test reaches.

use std::collections::BTreeSet;
use std::io::{self, Write};

use braid_engine::mutate::Status;

use crate::github::{data, property};
use crate::mutate::Mutants;

pub(crate) fn write(mutants: &Mutants<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut unreached: BTreeSet<(&str, u32)> = BTreeSet::new();
    for result in mutants.unnoticed() {
        let (Some(file), line) = (&result.file, result.line.unwrap_or(1)) else {
            continue;
        };
        let (level, title, text) = match result.status {
            Status::Survived => (
                "warning",
                "no test notices this mutant",
                result.description.as_str(),
            ),
            _ if unreached.insert((file, line)) => (
                "notice",
                "no test reaches this line",
                "no test reaches this line",
            ),
            _ => continue,
        };
        let mut text = text.to_owned();
        if let Some(place) = &result.place
            && let Some(replacement) = &place.replacement
            && result.status == Status::Survived
        {
            text = format!("{text}\n- {}\n+ {replacement}", place.original);
        }
        writeln!(
            out,
            "::{level} file={},line={line},title={}::{}",
            property(file),
            property(title),
            data(&text)
        )?;
    }
    Ok(())
}
