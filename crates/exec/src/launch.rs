//! Starting a worker JVM, up to its hello.
//!
//! The worker connects to a loopback port and shows a secret that it was given on its standard
//! input, where other users of the machine cannot see it. Standard input is empty after that.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use braid_process::{Running, Spawn, argfile};
use braid_protocol::{FrameReader, FromWorker, VERSION};

use crate::crash::tail;
use crate::error::ExecError;
use crate::link::Link;
use crate::spec::WorkerSpec;
use crate::tree;

/// The system allows a single argument 128 KB; longer class paths go through a file.
const LONG_CLASS_PATH: usize = 100_000;
/// How much of the error output goes into an error message.
pub(crate) const STDERR_TAIL: usize = 8 * 1024;
/// How long a connection may take to say hello once it is made.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// What a JVM gets beyond its specification.
#[derive(Debug, Default)]
pub(crate) struct Extra {
    /// Options, before those of the project.
    pub(crate) options: Vec<String>,
    /// Lines that the runner reads after port and secret.
    pub(crate) lines: String,
}

/// Starts the JVM and waits until it has said hello.
pub(crate) fn launch(
    spec: &WorkerSpec,
    temp: &Path,
    extra: &Extra,
) -> Result<(Running, Link), ExecError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(ExecError::Connection)?;
    listener
        .set_nonblocking(true)
        .map_err(ExecError::Connection)?;
    let port = listener.local_addr().map_err(ExecError::Connection)?.port();
    let token = token()?;
    let tmp = temp.join("tmp");
    fs::create_dir_all(&tmp).map_err(ExecError::io("create", &tmp))?;
    let input = format!("{port}\n{token}\n{}", extra.lines);
    let running = spawn(spec, temp, &extra.options, &input)?;
    let link = accept(&listener, &token, &running, spec.start_timeout)?;
    Ok((running, link))
}

fn spawn(
    spec: &WorkerSpec,
    temp: &Path,
    options: &[String],
    input: &str,
) -> Result<Running, ExecError> {
    let mut args = options.to_vec();
    args.extend(spec.jvm_options(temp));
    args.push("-cp".to_owned());
    args.push(class_path(spec));
    if args.iter().any(|arg| arg.len() > LONG_CLASS_PATH) {
        let file = temp.join("java.args");
        fs::write(&file, argfile::text(&args)).map_err(ExecError::io("write", &file))?;
        args = vec![format!("@{}", file.display())];
    }
    args.push("braid.runner.Main".to_owned());
    let java = spec
        .jdk
        .join("bin")
        .join(format!("java{}", std::env::consts::EXE_SUFFIX));
    let removed = spec.env_removed.iter();
    let spawn = removed
        .fold(Spawn::new(java), |spawn, name| spawn.env_remove(name))
        .args(args)
        .envs(&spec.env)
        .cwd(&spec.cwd)
        .stdin(input)
        .cap(spec.output_cap);
    Ok(spawn.start()?)
}

/// The runner comes first, so that a class-data archive made for it alone fits every project.
fn class_path(spec: &WorkerSpec) -> String {
    let separator = if cfg!(windows) { ";" } else { ":" };
    let entries = std::iter::once(&spec.runner_jar).chain(&spec.classpath);
    entries
        .map(|entry| entry.to_string_lossy())
        .collect::<Vec<_>>()
        .join(separator)
}

fn token() -> Result<String, ExecError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| ExecError::Connection(io::Error::other(e)))?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        // Writing to a string cannot fail.
        let _ = write!(token, "{byte:02x}");
        token
    }))
}

fn accept(
    listener: &TcpListener,
    token: &str,
    running: &Running,
    timeout: Duration,
) -> Result<Link, ExecError> {
    let deadline = Instant::now() + timeout;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Some(link) = greet(stream, token)? {
                    return Ok(link);
                }
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(e) => return Err(ExecError::Connection(e)),
        }
        let stderr = || tail(&running.stderr().text(), STDERR_TAIL);
        // Waiting for the end of the process is also the pause between two looks.
        if let Some(status) = running.wait_timeout(Duration::from_millis(2)) {
            // The reading threads may be a moment behind.
            std::thread::sleep(Duration::from_millis(20));
            let stderr = [tail(&running.stdout().text(), STDERR_TAIL), stderr()].join("\n");
            let stderr = stderr.trim().to_owned();
            return Err(ExecError::DiedAtStart {
                status: describe(status),
                stderr,
            });
        }
        if Instant::now() >= deadline {
            return Err(ExecError::NeverConnected {
                waited: timeout,
                stderr: stderr(),
            });
        }
    }
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}

/// Reads the hello of a new connection; `None` if it is not our worker.
fn greet(mut stream: TcpStream, token: &str) -> Result<Option<Link>, ExecError> {
    let Ok(Some((hello, frames))) = first_message(&mut stream) else {
        return Ok(None);
    };
    let FromWorker::Hello {
        version,
        token: theirs,
        ..
    } = hello
    else {
        return Ok(None);
    };
    if theirs != token {
        return Ok(None);
    }
    if version != VERSION {
        return Err(ExecError::Version {
            ours: VERSION,
            theirs: version,
        });
    }
    Link::new(stream, frames)
        .map(Some)
        .map_err(ExecError::Connection)
}

fn first_message(stream: &mut TcpStream) -> io::Result<Option<(FromWorker, FrameReader)>> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(HELLO_TIMEOUT))?;
    let mut frames = FrameReader::new();
    let mut buffer = [0; 4096];
    loop {
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            return Ok(None);
        }
        frames.push(&buffer[..length]);
        match frames.next_body() {
            Ok(Some(body)) => {
                let message = FromWorker::decode(body);
                return Ok(message.ok().map(|message| (message, frames)));
            }
            Ok(None) => {}
            Err(_) => return Ok(None),
        }
    }
}

/// The private folder of a worker; removed with it, whatever permissions tests have set in it.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn create(root: Option<&PathBuf>) -> Result<Self, ExecError> {
        let root = root.cloned().unwrap_or_else(std::env::temp_dir);
        fs::create_dir_all(&root).map_err(ExecError::io("create", &root))?;
        let dir = tempfile::Builder::new().prefix("braid-").tempdir_in(&root);
        Ok(Self(
            dir.map_err(ExecError::io("create a folder in", &root))?
                .keep(),
        ))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to the system, as temporary files are.
        let _ = tree::remove(&self.0);
    }
}
