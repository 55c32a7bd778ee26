//! File names for patch identities, which may hold any character.

/// The longest stem handed out, well below every file system's limit even with a suffix.
const MAX_STEM: usize = 100;

/// A file name stem for `id`: the id itself where it is harmless, else a readable form with a hash, so
/// that different ids never share a file.
pub fn file_stem(id: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "._-+@=".contains(c);
    let plain = !id.is_empty()
        && id.len() <= MAX_STEM
        && !id.starts_with('.')
        // a `~` in a stem always precedes the hash added below
        && id.chars().all(harmless);
    if plain {
        return id.to_owned();
    }
    let readable: String = id
        .chars()
        .take(MAX_STEM / 2)
        .map(|c| if harmless(c) { c } else { '_' })
        .collect();
    let hash = blake3::hash(id.as_bytes()).to_hex();
    format!("{}~{}", readable.trim_start_matches('.'), &hash[..16])
}

#[cfg(test)]
mod tests {
    use super::file_stem;

    #[test]
    fn harmless_ids_are_their_own_stem() {
        assert_eq!(file_stem("fix-12.v2"), "fix-12.v2");
    }

    #[test]
    fn hostile_ids_stay_inside_the_folder_and_apart() {
        let hostile = [
            "../../etc/passwd",
            "a/b",
            "a:b",
            "",
            ".",
            "..",
            ".hidden",
            "ü",
            "a\nb",
        ];
        let stems: std::collections::BTreeSet<_> = hostile.iter().map(|id| file_stem(id)).collect();
        assert_eq!(stems.len(), hostile.len());
        for stem in stems {
            assert!(!stem.contains('/') && !stem.starts_with('.'), "{stem}");
        }
        assert!(file_stem(&"x".repeat(10_000)).len() < 130);
    }
}
