//! The JDK's own image (plain and compressed), jars and folders.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use braid_classpath::{ClassPath, Dir, Jar, JdkImage};

/// The JDK that runs `java` here.
fn jdk() -> PathBuf {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return home.into();
    }
    let output = Command::new("java")
        .args(["-Xmx64m", "-XshowSettings:properties", "-version"])
        .output()
        .expect("java runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let home = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("java.home = "));
    PathBuf::from(home.expect("java says its home"))
}

#[test]
fn every_class_of_the_image_is_found_by_its_name() {
    let image = JdkImage::open(&jdk()).unwrap();
    let mut count = 0;
    for (name, resource) in image.classes() {
        assert_eq!(image.locate(&name), Some(resource), "{name}");
        count += 1;
    }
    assert!(count > 5000, "{count}");
    assert_eq!(image.module_of("java/lang"), Some("java.base"));
    assert!(image.modules().contains(&"java.base".to_owned()));
    let object = image.find("java/lang/Object").unwrap().unwrap();
    assert_eq!(object[..4], [0xca, 0xfe, 0xba, 0xbe]);
    assert!(image.find("java/lang/Nothing").unwrap().is_none());
    assert!(image.find("Object").unwrap().is_none());
    assert!(
        image
            .find_resource("java.base", "", "module-info", "class")
            .is_ok()
    );
}

#[test]
fn a_look_up_takes_less_than_a_microsecond() {
    let image = JdkImage::open(&jdk()).unwrap();
    let names = image.class_names();
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            let found = names
                .iter()
                .filter(|name| image.locate(name).is_some())
                .count();
            assert_eq!(found, names.len());
            start.elapsed().as_nanos() / names.len() as u128
        })
        .min()
        .unwrap();
    println!("{best} ns a look-up");
    // Unoptimised builds on a busy machine get some room; the promise is for release builds.
    let limit = if cfg!(debug_assertions) {
        10_000
    } else {
        1_000
    };
    assert!(best < limit, "{best} ns");
}

#[test]
fn compressed_images_give_the_same_classes() {
    let home = jdk();
    let jlink = home.join("bin").join("jlink");
    if !jlink.is_file() || !home.join("jmods").is_dir() {
        eprintln!("no jlink here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let plain = JdkImage::open(&home).unwrap();
    for level in ["1", "2"] {
        let out = folder.path().join(level);
        let output = Command::new(&jlink)
            .args([
                "-J-Xmx256m",
                "--add-modules",
                "java.base",
                "--compress",
                level,
                "--output",
            ])
            .arg(&out)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let image = JdkImage::open(&out).unwrap();
        let mut same = 0;
        for (name, resource) in image.classes() {
            let bytes = image.read(&resource).unwrap();
            // jlink generates a few classes of its own; all others are the JDK's.
            same += usize::from(plain.find(&name).unwrap() == Some(bytes));
        }
        assert!(
            same > 5000 && same + 100 > image.class_names().len(),
            "level {level}: {same}"
        );
    }
}

fn write_jar(path: &Path, files: &[(&str, &[u8])]) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn the_first_source_wins_and_versions_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("a.jar");
    write_jar(
        &jar,
        &[
            (
                "META-INF/MANIFEST.MF",
                b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n",
            ),
            ("p/A.class", b"eight"),
            ("META-INF/versions/11/p/A.class", b"eleven"),
            ("META-INF/versions/17/p/A.class", b"seventeen"),
            ("p/B.class", b"b"),
            ("readme.txt", b"no class"),
        ],
    );
    let at = |java| {
        Jar::open_for(&jar, java)
            .unwrap()
            .find("p/A")
            .unwrap()
            .unwrap()
    };
    assert_eq!(at(8), b"eight");
    assert_eq!(at(16), b"eleven");
    assert_eq!(at(25), b"seventeen");
    let classes = folder.path().join("classes");
    std::fs::create_dir_all(classes.join("p")).unwrap();
    std::fs::write(classes.join("p/B.class"), b"shadow").unwrap();
    std::fs::write(classes.join("p/C.class"), b"c").unwrap();
    let mut path = ClassPath::new();
    path.add(&classes).unwrap();
    path.add(&jar).unwrap();
    path.add(&folder.path().join("missing")).unwrap();
    assert_eq!(path.find("p/B").unwrap().unwrap(), b"shadow");
    assert!(path.find("p/D").unwrap().is_none());
    let mut all = path.map(|name, bytes| (name.to_owned(), bytes)).unwrap();
    all.sort();
    let names: Vec<_> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["p/A", "p/B", "p/C"]);
    assert_eq!(all[1].1, b"shadow");
}

#[test]
fn names_cannot_leave_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("X.class"), b"x").unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    assert!(Dir::new(&inner).find("../X").unwrap().is_none());
    assert!(Dir::new(folder.path()).find("X").unwrap().is_some());
}

#[test]
fn broken_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken");
    std::fs::write(&path, vec![0; 100]).unwrap();
    assert!(JdkImage::open_file(&path).is_err());
    assert!(Jar::open(&path).is_err());
    assert!(ClassPath::new().add_jdk(folder.path()).is_err());
    let mut cut = vec![0xda, 0xda, 0xfe, 0xca, 0, 0, 1, 0];
    cut.extend([0xff; 40]);
    std::fs::write(&path, &cut).unwrap();
    assert!(JdkImage::open_file(&path).is_err());
}

#[test]
fn resources_without_folder_or_extension_are_found() {
    let image = JdkImage::open(&jdk()).unwrap();
    let module = image.find_resource("java.base", "", "module-info", "class");
    assert_eq!(module.unwrap().unwrap()[..4], [0xca, 0xfe, 0xba, 0xbe]);
    let none = image.find_resource("java.base", "", "nothing", "");
    assert!(none.unwrap().is_none());
}
