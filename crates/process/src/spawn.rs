//! Describing a process before it starts.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::capture::Capture;
use crate::error::ProcessError;
use crate::group;
use crate::running::{Finished, Running};

/// How much of each output stream is kept unless asked otherwise.
const DEFAULT_CAP: usize = 1024 * 1024;

/// One of the two output streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The standard output.
    Stdout,
    /// The error output.
    Stderr,
}

/// What is called with each piece of output.
type Watch = dyn Fn(Stream, &[u8]) + Send + Sync;

/// A function that sees the output of a process as it comes.
#[derive(Clone)]
pub(crate) struct Observer(Arc<Watch>);

impl Observer {
    pub(crate) fn call(&self, stream: Stream, bytes: &[u8]) {
        (self.0)(stream, bytes);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// A process to be started: program, arguments, surroundings and limits.
///
/// The process starts in a group of its own, with an empty standard input unless
/// [`stdin`](Spawn::stdin) says otherwise, and inherits the environment.
#[derive(Debug)]
pub struct Spawn {
    program: OsString,
    command: Command,
    cwd: Option<PathBuf>,
    stdin: Option<Vec<u8>>,
    cap: usize,
    observer: Option<Observer>,
}

impl Spawn {
    /// A process that runs `program`, looked up on `PATH` if it is a bare name.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref().to_owned();
        let command = Command::new(&program);
        Self {
            program,
            command,
            cwd: None,
            stdin: None,
            cap: DEFAULT_CAP,
            observer: None,
        }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.command.args(args);
        self
    }

    /// Sets one environment variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets several environment variables.
    pub fn envs<I, K, V>(mut self, vars: I) -> Self
    where
        I: IntoIterator<Item = (K, V)>,
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.command.envs(vars);
        self
    }

    /// Takes one variable out of the inherited environment.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Starts from an empty environment.
    pub fn env_clear(mut self) -> Self {
        self.command.env_clear();
        self
    }

    /// Sets the folder the process runs in.
    pub fn cwd(mut self, dir: impl AsRef<Path>) -> Self {
        self.command.current_dir(dir.as_ref());
        self.cwd = Some(dir.as_ref().to_owned());
        self
    }

    /// Feeds these bytes to the standard input, then ends it.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Keeps at most `bytes` of each output stream: half from its start, half from its end.
    pub fn cap(mut self, bytes: usize) -> Self {
        self.cap = bytes;
        self
    }

    /// Shows the output to `observer` as it comes, beside keeping it.
    ///
    /// The observer is called from the reading threads, in pieces that need not end with a line.
    pub fn observe(mut self, observer: impl Fn(Stream, &[u8]) + Send + Sync + 'static) -> Self {
        self.observer = Some(Observer(Arc::new(observer)));
        self
    }

    /// The program and its arguments in one line, for logs.
    pub fn command_line(&self) -> String {
        let args = self.command.get_args().map(OsStr::to_string_lossy);
        let program = std::iter::once(self.program.to_string_lossy());
        program
            .chain(args)
            .map(|word| shell_word(&word))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Runs the process to its end, or kills it and all it started when `timeout` has passed.
    pub fn run(self, timeout: Duration) -> Result<Finished, ProcessError> {
        self.start()?.finish(Some(timeout))
    }

    /// Starts the process and leaves it running.
    pub fn start(mut self) -> Result<Running, ProcessError> {
        let stdin = if self.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        self.command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        group::own_group(&mut self.command);
        let started = Instant::now();
        let mut child = spawn_patiently(&mut self.command).map_err(|e| self.explain(e))?;
        group::enter(child.id());
        feed(&mut child, self.stdin.take());
        let (stdout, stderr) = (Capture::new(self.cap), Capture::new(self.cap));
        match child.stdout.take() {
            Some(pipe) => stdout.read_from(pipe, Stream::Stdout, self.observer.clone()),
            None => stdout.end(),
        }
        match child.stderr.take() {
            Some(pipe) => stderr.read_from(pipe, Stream::Stderr, self.observer.clone()),
            None => stderr.end(),
        }
        Running::new(self.program_name(), child, started, (stdout, stderr))
    }

    fn program_name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    fn explain(&self, source: io::Error) -> ProcessError {
        let program = self.program_name();
        match (source.kind(), &self.cwd) {
            (io::ErrorKind::NotFound, Some(cwd)) if !cwd.is_dir() => ProcessError::NoFolder {
                program,
                cwd: cwd.display().to_string(),
            },
            (io::ErrorKind::NotFound, _) => ProcessError::NotFound { program },
            (io::ErrorKind::ArgumentListTooLong, _) => ProcessError::TooLong { program },
            _ => ProcessError::Start { program, source },
        }
    }
}

/// Spawns, trying again for a moment if the program's file is just being written by somebody:
/// a process forked meanwhile elsewhere holds a freshly written script open until its own exec.
fn spawn_patiently(command: &mut Command) -> io::Result<Child> {
    for pause_ms in [1, 4, 16, 64, 256] {
        match command.spawn() {
            Err(e) if e.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(pause_ms));
            }
            other => return other,
        }
    }
    command.spawn()
}

/// Writes `bytes` to the standard input from a thread of its own, so that a process that does not
/// read cannot block us.
fn feed(child: &mut Child, bytes: Option<Vec<u8>>) {
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), bytes) {
        // A process that ends without reading its input is no error of ours; without a thread the
        // pipe closes, and the process sees an empty input.
        let body = move || drop(pipe.write_all(&bytes));
        drop(std::thread::Builder::new().name("input".into()).spawn(body));
    }
}

fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The file that a bare program name stands for on `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let allowed = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let allowed = true;
    metadata.is_file() && allowed
}
