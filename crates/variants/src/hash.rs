//! A patch's identity by content.

use crate::Patch;

/// Hash of what the patch changes, whatever its id and origin.
pub fn content_hash(_patch: &Patch) -> [u8; 32] {
    [0; 32]
}
