//! Method resolution and selection against what HotSpot's own reflection says.

use std::process::Command;

use braid_analysis::World;
use braid_classfile::{Hierarchy, JStr, Superclass};
use braid_classpath::ClassPath;

fn jdk_world() -> World {
    let mut path = ClassPath::new();
    path.add_jdk(&braid_subjects::jdk()).expect("a JDK");
    World::load(&path).expect("the JDK's classes")
}

#[test]
fn the_method_selected_is_the_one_reflection_names() {
    let world = jdk_world();
    let names: Vec<String> = (0..world.class_count() as u32)
        .map(braid_analysis::ClassId)
        .filter(|&c| world.is_concrete(c) && world.file(c).access().is_public())
        .map(|c| world.class_name(c).to_string())
        .filter(|name| name.starts_with("java/util/") || name.starts_with("java/time/"))
        .collect();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/Selected.java");
    let java = braid_subjects::jdk().join("bin/java");
    let output = Command::new(java)
        .args(["-Xmx256m", source])
        .args(&names)
        .output()
        .expect("java runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut checked = 0;
    for line in String::from_utf8(output.stdout)
        .expect("names are ASCII")
        .lines()
    {
        let [class, name, descriptor, declarer] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("unexpected line {line}")
        };
        let class = world.class(class).expect("a known class");
        let selector = world
            .selector(JStr::from(name), JStr::from(descriptor))
            .expect("a known selector");
        let resolved = world.resolve(class, selector).expect(line);
        let selected = world.select(class, resolved).expect(line);
        assert_eq!(
            world.class_name(world.declarer(selected)),
            declarer,
            "{line}"
        );
        checked += 1;
    }
    assert!(checked > 5000, "only {checked} methods compared");
}

#[test]
fn a_world_answers_what_a_class_extends() {
    let world = jdk_world();
    let superclass = |name: &'static str| world.superclass(JStr::from(name));
    assert_eq!(
        superclass("java/util/ArrayList"),
        Superclass::Class(JStr::from("java/util/AbstractList"))
    );
    assert_eq!(superclass("java/util/List"), Superclass::Interface);
    assert_eq!(superclass("java/lang/Object"), Superclass::Root);
    assert_eq!(superclass("no/Such"), Superclass::Unknown);
}

#[test]
fn everything_below_a_class_has_it_above() {
    let world = jdk_world();
    let list = world.class("java/util/List").expect("List");
    let below = world.below(list);
    assert!(below.len() > 20);
    assert!(below.iter().all(|&c| world.is_subtype(c, list)));
    let all = (0..world.class_count() as u32).map(braid_analysis::ClassId);
    assert_eq!(
        all.filter(|&c| world.is_subtype(c, list)).count(),
        below.len()
    );
}
