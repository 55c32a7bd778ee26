//! `braid-patchgen`: writes generated patches as JSON lines, one `{id, diff}` a line, or as one diff file each.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use braid_patchgen::Generated;
use clap::Parser;

/// Generates candidate patches for a Java source tree from a fixed seed.
#[derive(Parser)]
struct Args {
    /// The project's root; paths in the diffs are relative to it.
    #[arg(long)]
    project: PathBuf,
    /// The source folder below the root.
    #[arg(long, default_value = "src/main/java")]
    sources: PathBuf,
    /// Only files whose path contains this (may be repeated).
    #[arg(long)]
    only: Vec<String>,
    /// Over how many methods the patches are spread.
    #[arg(long, default_value_t = 40)]
    methods: usize,
    /// How many patches.
    #[arg(long, default_value_t = 1000)]
    patches: usize,
    /// The share made so that they should not compile, in percent.
    #[arg(long, default_value_t = 40)]
    broken_percent: u8,
    /// The same seed gives the same patches.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write: a file for JSON lines, or an existing folder for one `ID.diff` a patch.
    #[arg(long)]
    out: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let patches = braid_patchgen::generate(&braid_patchgen::Request {
        project: args.project,
        sources: args.sources,
        only: args.only,
        methods: args.methods,
        patches: args.patches,
        broken_percent: args.broken_percent,
        seed: args.seed,
    })?;
    if args.out.is_dir() {
        write_diffs(&args.out, &patches)
    } else {
        write_lines(&args.out, &patches)
    }
}

fn write_diffs(folder: &Path, patches: &[Generated]) -> Result<()> {
    for patch in patches {
        let file = folder.join(format!("{}.diff", patch.id));
        std::fs::write(&file, &patch.diff)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn write_lines(file: &Path, patches: &[Generated]) -> Result<()> {
    let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = BufWriter::new(out);
    for patch in patches {
        let line = serde_json::json!({ "id": patch.id, "diff": patch.diff });
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(())
}
