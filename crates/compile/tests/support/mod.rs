//! A small module on disk, and the compiler, for tests.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod bytecode;
pub(crate) mod compare;
pub(crate) mod generate;
pub(crate) mod lang3;
pub(crate) mod links;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use braid_compile::{
    Changes, Classes, Javac, Module, Outcome, PatchOutcome, Plain, Recompiled, Request, Setup,
    Source, Tool, Warm, compile_all, compile_patch,
};

/// The compiler of the default JDK.
pub(crate) fn tool() -> Tool {
    tool_of(&braid_subjects::jdk())
}

/// The compiler of a JDK.
pub(crate) fn tool_of(jdk: &Path) -> Tool {
    let folder = option_env!("CARGO_TARGET_TMPDIR"); // unknown to examples, which use `tool_in`
    tool_in(jdk, &folder.map_or_else(std::env::temp_dir, PathBuf::from))
}

/// The compiler of a JDK, with its jar in a folder.
pub(crate) fn tool_in(jdk: &Path, folder: &Path) -> Tool {
    static JAR: OnceLock<PathBuf> = OnceLock::new();
    let jar = JAR.get_or_init(|| {
        braid_payload::unpack(&folder.join("payload"))
            .unwrap()
            .compiler
    });
    Tool {
        heap_mb: 700,
        ..Tool::new(jdk, jar)
    }
}

/// A module in a temporary folder, compiled.
pub(crate) struct Fixture {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) module: Module,
}

impl Fixture {
    /// Writes and compiles these sources: names relative to the source root, and texts.
    pub(crate) fn new(sources: &[(&str, &str)]) -> Fixture {
        Fixture::with(&tool(), Setup::default(), sources)
    }

    pub(crate) fn with(tool: &Tool, setup: Setup, sources: &[(&str, &str)]) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("src");
        for (name, text) in sources {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let module = Module {
            left_out: Default::default(),
            source_roots: vec![root],
            classes: dir.path().join("classes"),
            setup,
        };
        let fixture = Fixture { dir, module };
        let all = compile_all(
            &mut Plain::new(tool.clone()),
            &fixture.module,
            &Changes::default(),
        );
        match all.unwrap() {
            PatchOutcome::Compiled(all) => write_classes(&fixture.module.classes, &all.classes),
            PatchOutcome::Errors(errors) => panic!("the fixture does not compile: {errors:#?}"),
        }
        fixture
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.module.source_roots[0].join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A patch that replaces text in files; an empty replacement of nothing deletes the file.
    pub(crate) fn edit(&self, edits: &[(&str, &str, &str)]) -> Changes {
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for (name, from, to) in edits {
            let text = texts.entry(name).or_insert_with(|| self.text(name));
            assert!(text.contains(from), "{name} has no {from}");
            *text = text.replacen(from, to, 1);
        }
        let written = texts
            .into_iter()
            .map(|(name, text)| (self.path(name), text.into_bytes()));
        Changes {
            written: written.collect(),
            ..Changes::default()
        }
    }
}

pub(crate) fn write_classes(folder: &Path, classes: &Classes) {
    for (name, bytes) in classes {
        let file = folder.join(format!("{name}.class"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
}

/// Compiles one text.
pub(crate) fn compile_one(javac: &mut dyn Javac, name: &str, text: &str) -> Outcome {
    let source = Source {
        path: name.into(),
        content: Some(text.into()),
    };
    javac
        .compile(&Request {
            setup: Setup::default(),
            sources: vec![source],
        })
        .unwrap()
        .outcome
}

pub(crate) fn recompiled(outcome: &PatchOutcome) -> Option<Recompiled> {
    match outcome {
        PatchOutcome::Compiled(patch) => Some(patch.recompiled),
        PatchOutcome::Errors(_) => None,
    }
}

/// How much to look at: the first by default, the second with `BRAID_SWEEP=1`, the third with `BRAID_SWEEP=full`.
pub(crate) fn sweep(quick: usize, bounded: usize, full: usize) -> usize {
    match std::env::var("BRAID_SWEEP").as_deref() {
        Err(_) | Ok("" | "0") => quick,
        Ok("full") => full,
        Ok(_) => bounded,
    }
}

/// Compiles each patch alone: every `fresh`th in a JVM of its own, the others in tasks of their own.
pub(crate) fn compile_each(
    tool: &Tool,
    module: &Module,
    patches: &[Changes],
    fresh: usize,
) -> Vec<PatchOutcome> {
    let mut warm = Warm::start(tool.clone()).unwrap();
    let mut plain = Plain::new(tool.clone());
    let compile = |(at, patch): (usize, &Changes)| {
        let javac: &mut dyn Javac = if at.is_multiple_of(fresh) {
            &mut plain
        } else {
            &mut warm
        };
        compile_patch(javac, module, patch).unwrap()
    };
    patches.iter().enumerate().map(compile).collect()
}
