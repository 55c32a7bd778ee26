//! The report as one HTML file: the document of mutation-testing-elements and a small viewer, nothing from elsewhere.
//! The page's own policy lets the browser load nothing from anywhere.

use std::io::{self, Write};

use serde::Serialize;

use crate::mutate::{Mutants, elements};

const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

pub(crate) fn write(mutants: &Mutants<'_>, out: &mut dyn Write) -> io::Result<()> {
    let unnoticed = mutants.unnoticed();
    let order: Vec<&str> = unnoticed.iter().map(|result| result.id.as_str()).collect();
    let parts = [
        ("/* style */", STYLE.to_owned()),
        ("{/* data */}", embedded(&elements::document(mutants))?),
        ("{/* order */}", embedded(&order)?),
        ("/* script */", SCRIPT.to_owned()),
    ];
    let mut rest = PAGE;
    for (place, part) in parts {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        out.write_all(before.as_bytes())?;
        out.write_all(part.as_bytes())?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// JSON for the inside of a script element, where only `</script` and `<!--` mean anything.
fn embedded(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}
