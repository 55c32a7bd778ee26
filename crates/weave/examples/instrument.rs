//! Instruments every class of some folders with all passes: `instrument OUT IN..`.

use std::path::{Path, PathBuf};

use braid_weave::{Passes, ProbeMap, World, instrument};

fn classes(folder: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            classes(&path, out)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            out.push(path);
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let to = arguments.next().ok_or("no folder to write to")?;
    let mut found = Vec::new();
    for folder in arguments {
        let mut paths = Vec::new();
        classes(&folder, &mut paths)?;
        paths.sort();
        for path in paths {
            let relative = path.strip_prefix(&folder)?.to_owned();
            found.push((relative, std::fs::read(path)?));
        }
    }
    let (mut world, mut probes) = (World::new(), ProbeMap::new());
    for (_, bytes) in &found {
        world.add(bytes)?;
        probes.add(bytes)?;
    }
    for (name, reason) in world.not_resettable() {
        println!("{name}: {reason}");
    }
    for (path, bytes) in &found {
        let class = path.with_extension("").display().to_string();
        let passes = Passes {
            fuel: true,
            reset: Some(&world),
            coverage: probes.base(&class),
        };
        let out = instrument(bytes, &passes)?;
        out.notes
            .iter()
            .for_each(|note| println!("{class}: {note:?}"));
        let path = to.join(path);
        std::fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        std::fs::write(path, out.bytes.as_ref().unwrap_or(bytes))?;
    }
    Ok(())
}
