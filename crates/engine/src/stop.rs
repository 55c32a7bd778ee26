//! The request to end a run early.

use braid_exec::Cancel;

use crate::EngineError;

/// A flag shared by the caller and everything that takes long.
#[derive(Clone, Debug, Default)]
pub struct Stop(Cancel);

impl Stop {
    /// Asks the run to end: no new patch is taken up, and what was decided is kept.
    pub fn request(&self) {
        self.0.cancel();
    }

    /// Whether that was asked.
    pub fn is_requested(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Asks the run to end and ends the processes it is waiting for. May be called again: a process
    /// that was just being started may have slipped through.
    pub fn interrupt(&self) {
        self.request();
        braid_process::end_all();
    }

    /// What an error means once the run was asked to end: processes were ended, and whoever waited for them failed.
    /// Results that could not be kept are another matter.
    pub(crate) fn excuse(&self, error: EngineError) -> EngineError {
        match error {
            EngineError::Store(_) => error,
            _ if self.is_requested() => EngineError::Interrupted,
            _ => error,
        }
    }

    /// The same flag in the words of the crate that runs workers.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.0
    }
}
