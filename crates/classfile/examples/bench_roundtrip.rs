//! The Rust side of `bench/classfile` and `bench/frames`: reads every class to instruction level
//! and writes it back from the model, on one core, with everything in memory.
//!
//! Arguments: `roundtrip` or `frames`, a JDK's home (its java.base is taken) and jars. Each line
//! on standard input asks for one round; the answer is its CPU time and wall time in nanoseconds
//! and the number of bytes written.

use std::hint::black_box;
use std::io::BufRead;
use std::path::Path;
use std::time::Instant;

use braid_classfile::{ClassFile, ClassTable, Code, Editor, Frames, ReadParts, Result, Workspace};
use braid_classpath::{Entry, Jar, JdkImage};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, jdk, jars @ ..] = arguments.as_slice() else {
        eprintln!("usage: bench_roundtrip roundtrip|frames JDK_HOME JAR...");
        std::process::exit(2);
    };
    let (classes, table) = load(Path::new(jdk), jars);
    let bytes: usize = classes.iter().map(Vec::len).sum();
    let frames = mode == "frames";
    eprintln!("{} classes, {} bytes", classes.len(), bytes);
    if frames {
        report_failures(&classes, &table);
    } else {
        report_identity(&classes);
    }
    let mut memory = Memory::default();
    for _ in std::io::stdin().lock().lines() {
        let (start, cpu) = (Instant::now(), cpu_nanos());
        let mut size = 0;
        for class in &classes {
            let written = if frames {
                recompute(class, &table, &mut memory)
            } else {
                rewrite(class, &mut memory)
            };
            size += black_box(written).map_or(0, |bytes| bytes.len());
        }
        let wall = start.elapsed().as_nanos() as u64;
        let cpu = cpu_nanos()
            .zip(cpu)
            .map_or(wall, |(end, start)| end - start);
        println!("{cpu} {wall} {size}");
    }
}

/// Memory shared by all classes, one after the other.
#[derive(Default)]
struct Memory {
    work: Workspace,
    code: Code,
}

/// CPU time of this thread, where the system tells it.
fn cpu_nanos() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Every class of java.base and the jars; the hierarchy is that of the whole JDK and the jars.
fn load(jdk: &Path, jars: &[String]) -> (Vec<Vec<u8>>, ClassTable) {
    let image = JdkImage::open(jdk).expect("a JDK image");
    let mut classes = Vec::new();
    let mut table = ClassTable::new().lenient();
    let mut resources: Vec<_> = image.classes().collect();
    resources.sort_by(|a, b| a.0.cmp(&b.0));
    for (_, resource) in resources {
        let bytes = image.read(&resource).expect("a readable class");
        table.add_class(&ClassFile::parse(&bytes).expect("a class"));
        if image.module(&resource) == "java.base" {
            classes.push(bytes);
        }
    }
    for jar in jars {
        let jar = Entry::Jar(Jar::open_for(Path::new(jar), 8).expect("a jar"));
        for name in jar.class_names().expect("its names") {
            let bytes = jar.find(&name).expect("readable").expect("there");
            table.add_class(&ClassFile::parse(&bytes).expect("a class"));
            classes.push(bytes);
        }
    }
    (classes, table)
}

/// Every method to the code model and back; nothing is copied as bytes but what stands around it.
fn rewrite(bytes: &[u8], memory: &mut Memory) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::with_workspace(&class, std::mem::take(&mut memory.work));
    let code = &mut memory.code;
    for method in 0..class.methods().len() {
        if editor.read_code(method, code)? {
            editor.write_code(method, code, Frames::Keep)?;
        }
    }
    let (written, work) = editor.finish_reusing();
    memory.work = work;
    written
}

/// The same with all frames, stack depths and local counts computed from nothing.
fn recompute(bytes: &[u8], table: &ClassTable, memory: &mut Memory) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::with_workspace(&class, std::mem::take(&mut memory.work));
    let code = &mut memory.code;
    let parts = ReadParts {
        frames: false,
        debug: true,
    };
    for method in 0..class.methods().len() {
        if editor.read_code_parts(method, code, parts)? {
            editor.write_code(method, code, Frames::Recompute(table))?;
        }
    }
    let (written, work) = editor.finish_reusing();
    memory.work = work;
    written
}

fn report_identity(classes: &[Vec<u8>]) {
    let same = classes
        .iter()
        .filter(|class| rewrite(class, &mut Memory::default()).as_deref() == Ok(class))
        .count();
    eprintln!("{same} classes byte-identical through the model");
    for class in classes
        .iter()
        .filter(|class| rewrite(class, &mut Memory::default()).as_deref() != Ok(class))
        .take(10)
    {
        let name = ClassFile::parse(class).map(|c| c.name().to_string());
        eprintln!(
            "  {name:?}: {:?}",
            rewrite(class, &mut Memory::default()).map(|b| b.len())
        );
    }
}

fn report_failures(classes: &[Vec<u8>], table: &ClassTable) {
    let mut failures = 0;
    for class in classes {
        if let Err(error) = recompute(class, table, &mut Memory::default()) {
            failures += 1;
            if failures <= 10 {
                let name = ClassFile::parse(class).map(|c| c.name().to_string());
                eprintln!("  {name:?}: {error}");
            }
        }
    }
    eprintln!("{failures} classes whose frames cannot be computed");
}
