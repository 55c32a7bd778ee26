//! Ctrl-C and termination signals: the first ends the run cleanly, the second at once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use braid_engine::Stop;

use crate::exit::Exit;

/// Ends runs by `stop` when the user asks for it.
pub(crate) fn watch(stop: &Stop) {
    let stop = stop.clone();
    let asked = AtomicU32::new(0);
    let handler = move || {
        if asked.fetch_add(1, Ordering::SeqCst) > 0 {
            stop.interrupt();
            std::process::exit(Exit::Interrupted as i32);
        }
        eprintln!("\nstopping; what was judged is kept (press again to end at once)");
        stop.interrupt();
        // a process that was just being started may have slipped through
        let again = stop.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                again.interrupt();
            }
        });
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("braid: cannot watch for Ctrl-C: {error}");
    }
}
