//! `braid demo`: the bundled example, judged before the user's eyes.

use std::fs;
use std::path::{Path, PathBuf};

use braid_engine::{EngineError, PatchRequest, ProjectRequest, Stop, ValidateRequest, Work};

use crate::args::{DemoArgs, FormatName, SelectArgs};
use crate::exit::Exit;
use crate::validate;

/// The example's files by path.
const EXAMPLE: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/example.rs"));

pub(crate) fn demo(args: &DemoArgs) -> Result<Exit, EngineError> {
    let dir = place(args.dir.as_deref())?;
    for (name, content) in EXAMPLE {
        let path = dir.join(name);
        let write = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&path, content)
        };
        write().map_err(|source| EngineError::Io {
            what: "write",
            path: path.clone(),
            source,
        })?;
    }
    let request = ValidateRequest {
        project: ProjectRequest {
            dir: dir.clone(),
            ..ProjectRequest::default()
        },
        work: Work::Start(PatchRequest {
            inputs: vec![dir.join("patches")],
            ..PatchRequest::default()
        }),
        options: args.run.options(&SelectArgs::default()),
        no_cache: args.run.no_cache,
        stop: Stop::default(),
    };
    let summary = validate::run(&request, &args.output)?;
    if args.output.format == FormatName::Table && args.output.output.is_none() {
        println!(
            "\nThe example is in {0}. To see why a patch was judged so:",
            dir.display()
        );
        println!("  braid show 01-take-the-larger-end -C {}", dir.display());
    }
    Ok(crate::exit::of_summary(&summary))
}

/// The folder asked for, or a new one that stays.
fn place(asked: Option<&Path>) -> Result<PathBuf, EngineError> {
    match asked {
        Some(dir) => {
            let occupied = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
            if occupied && !dir.join("patches/01-take-the-larger-end.diff").is_file() {
                let why = format!("{} is not empty and not the example", dir.display());
                return Err(EngineError::Input(why));
            }
            Ok(dir.to_owned())
        }
        None => {
            let failed = |source| EngineError::Io {
                what: "create a folder in",
                path: std::env::temp_dir(),
                source,
            };
            Ok(tempfile::Builder::new()
                .prefix("braid-demo-")
                .tempdir()
                .map_err(failed)?
                .keep())
        }
    }
}
