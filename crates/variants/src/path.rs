//! Paths inside the project: relative, `/`-separated, and unable to leave it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A path relative to the project's root.
///
/// Always `/`-separated, never empty, never absolute, without `.` and `..` components.
/// The only way to make one is [`RelPath::new`], so holding one is proof that it stays inside.
///
/// ```
/// use braid_variants::RelPath;
/// let path = RelPath::new("./src//main/java/A.java").unwrap();
/// assert_eq!(path.as_str(), "src/main/java/A.java");
/// assert!(RelPath::new("../secret").is_err());
/// assert!(RelPath::new("/etc/passwd").is_err());
/// assert!(RelPath::new("C:\\x.java").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

/// Why a path was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing is left after normalising.
    #[error("the path is empty")]
    Empty,
    /// It starts at the root of a file system.
    #[error("the path is absolute; paths must be relative to the project's root")]
    Absolute,
    /// It starts with a Windows drive letter.
    #[error("the path starts with a drive letter; paths must be relative to the project's root")]
    Drive,
    /// It has a `..` component.
    #[error("the path contains `..`; patches may not leave the project")]
    Parent,
    /// It has a NUL or another control character.
    #[error("the path contains a control character")]
    Control,
    /// It is not UTF-8.
    #[error("the path is not valid UTF-8")]
    Encoding,
    /// It points into version control's own files.
    #[error("the path points into `.git`; patches may not change it")]
    Git,
    /// A component or the whole is longer than file systems allow.
    #[error("the path is too long")]
    TooLong,
}

impl RelPath {
    /// Checks and normalises `path`: backslashes become `/`, empty and `.` components go.
    pub fn new(path: &str) -> Result<Self, PathError> {
        if path.chars().any(char::is_control) {
            return Err(PathError::Control);
        }
        let path = path.replace('\\', "/");
        if path.starts_with('/') {
            return Err(PathError::Absolute);
        }
        let bytes = path.as_bytes();
        if bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
            return Err(PathError::Drive);
        }
        let mut out = String::with_capacity(path.len());
        for part in path.split('/') {
            match part {
                "" | "." => continue,
                ".." => return Err(PathError::Parent),
                _ if part.eq_ignore_ascii_case(".git") => return Err(PathError::Git),
                _ if part.len() > 255 => return Err(PathError::TooLong),
                _ => {}
            }
            if !out.is_empty() {
                out.push('/');
            }
            out.push_str(part);
        }
        if out.is_empty() {
            return Err(PathError::Empty);
        }
        if out.len() > 4000 {
            return Err(PathError::TooLong);
        }
        Ok(Self(out))
    }

    /// As [`RelPath::new`], from bytes that must be UTF-8.
    pub fn from_bytes(path: &[u8]) -> Result<Self, PathError> {
        Self::new(std::str::from_utf8(path).map_err(|_| PathError::Encoding)?)
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path below `root`, in the platform's form.
    pub fn under(&self, root: &Path) -> PathBuf {
        let mut out = root.to_path_buf();
        out.extend(self.0.split('/'));
        out
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folder part, empty at the top.
    pub fn parent(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// Whether it ends in `.java`.
    pub fn is_java(&self) -> bool {
        self.0.ends_with(".java")
    }

    /// Whether the last components of this path are exactly those of `suffix`.
    pub fn ends_with(&self, suffix: &str) -> bool {
        match self.0.strip_suffix(suffix) {
            Some(rest) => rest.is_empty() || rest.ends_with('/'),
            None => false,
        }
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for RelPath {
    type Error = PathError;
    fn try_from(path: String) -> Result<Self, PathError> {
        Self::new(&path)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> String {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_paths_are_refused() {
        for (path, error) in [
            ("", PathError::Empty),
            ("./.", PathError::Empty),
            ("/a", PathError::Absolute),
            ("\\\\server\\share", PathError::Absolute),
            ("a/../../b", PathError::Parent),
            ("a\\..\\b", PathError::Parent),
            ("..", PathError::Parent),
            ("C:/a", PathError::Drive),
            ("c:a", PathError::Drive),
            ("a\0b", PathError::Control),
            ("a\nb", PathError::Control),
            (".git/hooks/pre-commit", PathError::Git),
            ("sub/.GIT/config", PathError::Git),
        ] {
            assert_eq!(RelPath::new(path), Err(error), "{path:?}");
        }
        assert_eq!(RelPath::from_bytes(b"\xff"), Err(PathError::Encoding));
        assert_eq!(RelPath::new(&"x".repeat(256)), Err(PathError::TooLong));
    }

    #[test]
    fn ends_with_respects_components() {
        let path = RelPath::new("src/com/x/A.java").unwrap();
        assert!(path.ends_with("x/A.java"));
        assert!(path.ends_with("src/com/x/A.java"));
        assert!(!path.ends_with("om/x/A.java"));
    }
}
