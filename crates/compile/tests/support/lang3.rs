//! commons-lang3 3.12, unpacked and compiled.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use braid_compile::{Changes, Module, PatchOutcome, Plain, Setup, Tool, compile_all};

/// The library as a module, compiled by this tool; kept in a folder for the next time.
pub(crate) fn module(tool: &Tool, folder: &Path) -> Module {
    let jdk = tool
        .jdk
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let dir = folder.join(format!("lang3-{}", jdk.unwrap_or_default()));
    let module = Module {
        left_out: Default::default(),
        source_roots: vec![dir.join("src")],
        classes: dir.join("classes"),
        setup: Setup {
            javac_args: ["-source", "8", "-target", "8", "-g"]
                .map(String::from)
                .to_vec(),
            ..Setup::default()
        },
    };
    fs::create_dir_all(&dir).unwrap();
    let lock = File::create(dir.join("lock")).unwrap();
    lock.lock().unwrap();
    if !dir.join("ready").is_file() {
        unpack(&dir.join("src"));
        let mut javac = Plain::new(Tool {
            heap_mb: 1024,
            ..tool.clone()
        });
        match compile_all(&mut javac, &module, &Changes::default()).unwrap() {
            PatchOutcome::Compiled(all) => super::write_classes(&module.classes, &all.classes),
            PatchOutcome::Errors(errors) => panic!("commons-lang3 does not compile: {errors:#?}"),
        }
        fs::write(dir.join("ready"), "").unwrap();
    }
    module
}

fn unpack(root: &Path) {
    let jar = braid_subjects::maven(&["org.apache.commons:commons-lang3:3.12.0:sources"]).remove(0);
    let mut jar = zip::ZipArchive::new(File::open(jar).unwrap()).unwrap();
    for at in 0..jar.len() {
        let mut entry = jar.by_index(at).unwrap();
        let path: PathBuf = root.join(entry.enclosed_name().unwrap());
        if path
            .extension()
            .is_some_and(|extension| extension == "java")
        {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}
