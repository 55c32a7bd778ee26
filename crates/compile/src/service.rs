//! A JVM that runs Braid's compiler program, and the socket to it.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use braid_process::{Running, Spawn};

use crate::wire::{Reader, VERSION, Writer};
use crate::{CompileError, Tool};

/// How long a JVM may take to come up.
const START: Duration = Duration::from_secs(60);
/// How often a waiting socket looks whether the JVM still lives.
const TICK: Duration = Duration::from_millis(200);
/// The packages of the compiler that the bulk road works in.
const INTERNALS: [&str; 7] = ["api", "code", "comp", "file", "main", "tree", "util"];

/// A compiler JVM that answers requests one after the other. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Service {
    process: Running,
    socket: TcpStream,
    timeout: Duration,
}

/// How a JVM is to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// For one request: quick to start.
    Once,
    /// For many: with access to the compiler's insides.
    Long,
}

impl Service {
    pub(crate) fn start(tool: &Tool, life: Life) -> Result<Service, CompileError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(CompileError::Socket)?;
        let port = listener.local_addr().map_err(CompileError::Socket)?.port();
        listener
            .set_nonblocking(true)
            .map_err(CompileError::Socket)?;
        let token = token();
        let process = Spawn::new(tool.jdk.join("bin").join("java"))
            .args(jvm_args(tool, life))
            .arg("-cp")
            .arg(&tool.jar)
            .arg("braid.compiler.Main")
            .arg(port.to_string())
            .env("BRAID_TOKEN", &token)
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("_JAVA_OPTIONS")
            .env_remove("JDK_JAVAC_OPTIONS")
            .start()
            .map_err(CompileError::Start)?;
        let socket = accept(&listener, &process, &token)?;
        Ok(Service {
            process,
            socket,
            timeout: tool.timeout,
        })
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, request: &Writer) -> Result<Reader, CompileError> {
        let deadline = Instant::now() + self.timeout;
        let process = &self.process;
        let mut socket = Patient {
            socket: &self.socket,
            process,
            deadline,
        };
        let answer = request
            .send(&mut socket)
            .and_then(|()| Reader::receive(&mut socket));
        let mut answer = answer.map_err(|cause| self.failure(cause))?;
        match answer.byte()? {
            0 => Ok(answer),
            _ => Err(CompileError::Fault(answer.text()?)),
        }
    }

    /// The process id of the JVM, for measuring.
    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    fn failure(&self, cause: io::Error) -> CompileError {
        match cause.kind() {
            io::ErrorKind::TimedOut => {
                self.process.kill();
                CompileError::TimedOut(self.timeout)
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                CompileError::Protocol(cause.to_string())
            }
            _ => died(&self.process),
        }
    }
}

fn jvm_args(tool: &Tool, life: Life) -> Vec<String> {
    let mut args = vec![
        format!("-Xmx{}m", tool.heap_mb),
        "-XX:+UseSerialGC".into(),
        "-XX:TieredStopAtLevel=1".into(),
        "-Xshare:auto".into(),
        "-Duser.language=en".into(),
        "-Duser.country=US".into(),
        "-Dfile.encoding=UTF-8".into(),
        "-Djava.awt.headless=true".into(),
    ];
    if life == Life::Long {
        for package in INTERNALS {
            let package = format!("jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED");
            args.extend(["--add-exports".into(), package.clone()]);
            args.extend(["--add-opens".into(), package]);
        }
    }
    args
}

/// Unguessable enough for a loopback socket: the standard library's hash keys are random.
fn token() -> String {
    use std::hash::{BuildHasher, RandomState};
    let random = || RandomState::new().hash_one(Instant::now());
    format!("{:016x}{:016x}", random(), random())
}

fn accept(
    listener: &TcpListener,
    process: &Running,
    token: &str,
) -> Result<TcpStream, CompileError> {
    let deadline = Instant::now() + START;
    loop {
        match listener.accept() {
            Ok((socket, _)) => {
                socket
                    .set_nonblocking(false)
                    .map_err(CompileError::Socket)?;
                socket.set_nodelay(true).map_err(CompileError::Socket)?;
                socket
                    .set_read_timeout(Some(TICK))
                    .map_err(CompileError::Socket)?;
                socket
                    .set_write_timeout(Some(TICK))
                    .map_err(CompileError::Socket)?;
                if greet(&socket, process, token, deadline)? {
                    return Ok(socket);
                }
            }
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                if process.try_wait().is_some() {
                    return Err(died(process));
                }
                if Instant::now() > deadline {
                    return Err(CompileError::TimedOut(START));
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(cause) => return Err(CompileError::Socket(cause)),
        }
    }
}

/// Reads the JVM's greeting; false if it is somebody else's.
fn greet(
    socket: &TcpStream,
    process: &Running,
    token: &str,
    deadline: Instant,
) -> Result<bool, CompileError> {
    let mut patient = Patient {
        socket,
        process,
        deadline,
    };
    let Ok(mut greeting) = Reader::receive(&mut patient) else {
        return Ok(false);
    };
    if greeting.text()? != token {
        return Ok(false);
    }
    let version = greeting.number()?;
    if version != VERSION {
        return Err(CompileError::Refused(format!(
            "it speaks version {version}, not {VERSION}"
        )));
    }
    let refusal = greeting.text()?;
    if refusal.is_empty() {
        Ok(true)
    } else {
        Err(CompileError::Refused(refusal))
    }
}

fn died(process: &Running) -> CompileError {
    let status = process.wait_timeout(Duration::from_secs(2));
    let status = status.map_or("it closed its socket".into(), |status| status.to_string());
    let said = process.stderr().text().trim().to_owned();
    let colon = if said.is_empty() { "" } else { ": " };
    CompileError::Died(format!("{status}{colon}{said}"))
}

/// The socket, read and written with a deadline and an eye on the JVM.
struct Patient<'a> {
    socket: &'a TcpStream,
    process: &'a Running,
    deadline: Instant,
}

impl Patient<'_> {
    fn retry<T>(&mut self, mut act: impl FnMut(&TcpStream) -> io::Result<T>) -> io::Result<T> {
        loop {
            match act(self.socket) {
                Err(cause) if is_tick(&cause) => {
                    if Instant::now() > self.deadline {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    if !self.process.is_alive() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                other => return other,
            }
        }
    }
}

fn is_tick(cause: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(cause.kind(), WouldBlock | TimedOut | Interrupted)
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.retry(|mut socket| socket.read(buffer))
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.retry(|mut socket| socket.write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
