//! A small fast hash for short byte strings. Not for hostile keys: tables that use it are bounded
//! by the 65,535 constants of a class.

const K: u64 = 0x517c_c1b7_2722_0a95;

/// Hash of a byte string.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes([
            chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
        ]);
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(K);
    }
    let mut tail = 0;
    for byte in chunks.remainder() {
        tail = tail << 8 | u64::from(*byte);
    }
    hash = (hash.rotate_left(5) ^ tail).wrapping_mul(K);
    (hash >> 32) as u32
}
