//! Every test framework: what is found, and what comes of it. The expectations stand in the Java
//! sources, beside what they are about.

mod support;

use support::{Subject, check_expectations};

/// Checks a subject on every JDK of the machine.
fn check(subject: &Subject) {
    for jdk in braid_subjects::jdks() {
        check_expectations(subject, &jdk);
    }
}

#[test]
fn junit3_alone() {
    check(&Subject::compile("junit3", braid_subjects::junit3()));
}

#[test]
fn junit3_classes_run_the_same_by_junit4() {
    check(&Subject::compile("junit3", braid_subjects::junit4()));
}

#[test]
fn junit4() {
    check(&Subject::compile("junit4", braid_subjects::junit4()));
}

#[test]
fn junit4_has_the_same_ids_beside_jupiter_and_the_vintage_engine() {
    let mut jars = braid_subjects::junit4();
    jars.extend(braid_subjects::junit5());
    jars.extend(braid_subjects::maven(&[
        "org.junit.vintage:junit-vintage-engine:5.11.4",
    ]));
    check(&Subject::compile("junit4", jars));
}

#[test]
fn jupiter_without_a_launcher() {
    check(&Subject::compile("jupiter", braid_subjects::junit5()));
}

#[test]
fn jupiter_of_many_versions() {
    let mut versions = vec!["4.2", "13.4"];
    if std::env::var_os("BRAID_SWEEP").is_some() {
        versions.extend(["5.2", "6.3", "7.2", "8.2", "9.3", "10.5", "12.2", "14.1"]);
    }
    for version in versions {
        let jars = braid_subjects::jupiter(&format!("5.{version}"), &format!("1.{version}"));
        check_expectations(&Subject::compile("jupiter", jars), &braid_subjects::jdk());
    }
}

#[test]
fn jupiter_6_and_classes_with_parameters() {
    let subject = Subject::compile("jupiter6", braid_subjects::jupiter("6.0.1", "6.0.1"));
    check(&subject);
}

#[test]
fn set_up_around_all_tests_is_called_where_the_project_has_it() {
    for version in ["1.11.4", "1.13.4"] {
        let jupiter = version.replacen('1', "5", 1);
        let mut jars = braid_subjects::jupiter(&jupiter, version);
        let launcher = format!("org.junit.platform:junit-platform-launcher:{version}");
        jars.extend(braid_subjects::maven(&[&launcher]));
        check_expectations(&Subject::compile("session", jars), &braid_subjects::jdk());
    }
}

#[test]
fn testng() {
    check(&Subject::compile("testng", braid_subjects::testng()));
}
