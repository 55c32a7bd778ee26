//! Compiles the helper that sits in a Maven build into one jar, which the library embeds.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=java");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    if let Err(message) = compile() {
        println!("cargo::error={message}");
    }
}

fn compile() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let source = Path::new("java/maven");
    let (stubs, classes) = (out.join("maven-stubs"), out.join("maven-classes"));
    for dir in [&stubs, &classes] {
        let _ = std::fs::remove_dir_all(dir);
        std::fs::create_dir_all(dir).map_err(|e| format!("cannot create {dir:?}: {e}"))?;
    }
    javac(&source.join("stubs"), &stubs, &stubs)?;
    javac(&source.join("src"), &stubs, &classes)?;
    let jar = out.join("braid-maven.jar");
    let mut command = Command::new(tool("jar"));
    command
        .arg("--create")
        .arg("--no-manifest")
        .arg("--file")
        .arg(jar);
    command.arg("-C").arg(&classes).arg(".");
    command
        .arg("-C")
        .arg(source.join("resources"))
        .arg("META-INF");
    run(command)
}

fn javac(sources: &Path, classpath: &Path, out: &Path) -> Result<(), String> {
    let mut command = Command::new(tool("javac"));
    command.args([
        "--release",
        "8",
        "-nowarn",
        "-Xlint:-options",
        "-proc:none",
        "-g",
    ]);
    command
        .args(["-encoding", "UTF-8", "-cp"])
        .arg(classpath)
        .arg("-d")
        .arg(out);
    let mut files = Vec::new();
    java_files(sources, &mut files).map_err(|e| format!("cannot list {sources:?}: {e}"))?;
    files.sort();
    command.args(files);
    run(command)
}

fn java_files(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            java_files(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "java") {
            files.push(path);
        }
    }
    Ok(())
}

fn tool(name: &str) -> PathBuf {
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin").join(name));
    home.filter(|file| file.exists())
        .unwrap_or_else(|| name.into())
}

fn run(mut command: Command) -> Result<(), String> {
    let output = command.output().map_err(|e| {
        let program = command.get_program().to_string_lossy().into_owned();
        format!("a JDK (11 or later) is needed to build this crate: cannot run {program}: {e}")
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).replace('\n', " | "))
}
