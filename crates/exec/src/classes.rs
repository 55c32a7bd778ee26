//! Class files in an output folder.

use std::io;
use std::path::Path;

/// The binary names (`com.x.Foo$Bar`) of all class files below `dir`, sorted; none if there is no
/// such folder. Anonymous and local classes, `package-info` and `module-info` are left out.
pub fn class_names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    if dir.is_dir() {
        collect(dir, "", &mut names)?;
    }
    names.sort();
    Ok(names)
}

fn collect(dir: &Path, package: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in dir.read_dir()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{package}{name}."), names)?;
        } else if let Some(simple) = name.strip_suffix(".class")
            && can_hold_tests(simple)
        {
            names.push(format!("{package}{simple}"));
        }
    }
    Ok(())
}

fn can_hold_tests(simple: &str) -> bool {
    let anonymous = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    !simple.ends_with("-info") && !simple.split('$').skip(1).any(anonymous)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn nested_classes_are_listed_and_anonymous_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let package = dir.path().join("com/x");
        fs::create_dir_all(&package).unwrap();
        for name in [
            "FooTest",
            "FooTest$Inner",
            "FooTest$1",
            "FooTest$1Local",
            "package-info",
        ] {
            fs::write(package.join(format!("{name}.class")), "").unwrap();
        }
        fs::write(dir.path().join("Top.class"), "").unwrap();
        fs::write(package.join("data.txt"), "").unwrap();
        let expected = ["Top", "com.x.FooTest", "com.x.FooTest$Inner"];
        assert_eq!(class_names(dir.path()).unwrap(), expected);
        assert!(class_names(&dir.path().join("missing")).unwrap().is_empty());
    }
}
