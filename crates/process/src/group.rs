//! Process groups: ending a process with all it started, and ending them all with Braid.
//!
//! The guardian is a shell that reads from a pipe only Braid holds: `+ GROUP` when a group
//! starts, `- GROUP` when it is gone. When Braid dies, in whatever way, the pipe ends and the
//! guardian kills the groups that are left. A death signal set on the child would need code
//! between fork and exec, and would fire when the spawning *thread* ends.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

static LIVE: Mutex<Live> = Mutex::new(Live {
    groups: BTreeSet::new(),
    guardian: None,
});

struct Live {
    groups: BTreeSet<u32>,
    guardian: Option<Guardian>,
}

enum Guardian {
    Watching(ChildStdin),
    Unavailable,
}

const SCRIPT: &str = "trap '' INT TERM HUP QUIT; set --
while read -r op group; do
  if [ \"$op\" = + ]; then set -- \"$@\" \"$group\"; continue; fi
  for g do shift; [ \"$g\" = \"$group\" ] || set -- \"$@\" \"$g\"; done
done
for g do kill -9 \"-$g\" 2>/dev/null; done";

fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a new group and tells the guardian of it.
pub(crate) fn enter(group: u32) {
    let mut live = live();
    live.groups.insert(group);
    live.tell('+', group);
}

/// Forgets a group whose leader is about to be reaped.
pub(crate) fn leave(group: u32) {
    let mut live = live();
    if live.groups.remove(&group) {
        live.tell('-', group);
    }
}

/// Ends every process started through this crate that is still running.
///
/// For handlers of Ctrl-C and the like; whoever waits for one of the processes sees it end.
pub fn end_all() {
    for &group in &live().groups {
        kill(group);
    }
}

impl Live {
    fn tell(&mut self, op: char, group: u32) {
        let guardian = self.guardian.get_or_insert_with(Guardian::start);
        if let Guardian::Watching(pipe) = guardian
            && writeln!(pipe, "{op} {group}").is_err()
        {
            *guardian = Guardian::Unavailable;
        }
    }
}

impl Guardian {
    fn start() -> Self {
        if !cfg!(unix) {
            return Guardian::Unavailable;
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).current_dir("/").env_clear();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        own_group(&mut command);
        match command.spawn() {
            Ok(mut child) => child
                .stdin
                .take()
                .map_or(Guardian::Unavailable, Guardian::Watching),
            Err(_) => Guardian::Unavailable,
        }
    }
}

/// Makes the command start as the leader of a new process group.
pub(crate) fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Kills every process of the group at once.
pub(crate) fn kill(group: u32) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(group)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // Fails only if the group is gone, which is what was asked for.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = group;
}

/// Blocks until the process has ended, without reaping it: until then its number is not reused.
#[cfg(unix)]
pub(crate) fn wait_for_end(pid: u32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return;
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(
        waitid(WaitId::Pid(pid), options),
        Err(rustix::io::Errno::INTR)
    ) {}
}
