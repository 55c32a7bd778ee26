//! `braid init`: a `braid.toml` with every setting in it, commented out and explained.
//!
//! The explanations are the descriptions of the JSON Schema, so they cannot disagree with it.

use std::path::Path;

use serde_json::Value;

use super::schema;

/// An example for each setting, in the order they are written.
const SECTIONS: [(&str, &[(&str, &str)]); 6] = [
    (
        "project",
        &[
            ("kind", "\"maven\""),
            ("jdk", "\"/usr/lib/jvm/default-java\""),
            ("modules", "[\"core\"]"),
            ("sources", "[\"src/main/java\"]"),
            ("test-sources", "[\"src/test/java\"]"),
            ("resources", "[\"src/main/resources\"]"),
            ("test-resources", "[\"src/test/resources\"]"),
            ("classpath", "[\"lib/*.jar\"]"),
            ("test-classpath", "[\"test-lib/*.jar\"]"),
            ("encoding", "\"UTF-8\""),
            ("javac-args", "[\"--release\", \"11\"]"),
            ("annotation-processors", "false"),
        ],
    ),
    (
        "build",
        &[
            ("command", "[\"./mvnw\"]"),
            ("args", "[\"-Pfast\"]"),
            ("goals", "[\"test\"]"),
            ("offline", "false"),
            ("skip", "false"),
            ("timeout-s", "1800"),
        ],
    ),
    (
        "tests",
        &[
            ("include", "[\"**/*Test.java\"]"),
            ("exclude", "[\"**/*IT.java\"]"),
            ("groups", "\"fast\""),
            ("exclude-groups", "\"slow\""),
            ("java", "\"/usr/lib/jvm/java-21\""),
            ("jvm-args", "[\"-ea\", \"-Duser.timezone=UTC\"]"),
            ("system-properties", "{ \"my.property\" = \"value\" }"),
            ("env", "{ MY_VARIABLE = \"value\" }"),
            ("cwd", "\".\""),
        ],
    ),
    (
        "run",
        &[
            ("jobs", "4"),
            ("heap-mb", "512"),
            ("timeout-factor", "3.0"),
            ("timeout-constant-ms", "5000"),
            ("flaky", "\"skip\""),
            ("strategy", "\"auto\""),
            ("full", "false"),
            ("allow-test-edits", "false"),
            ("failing", "[\"com.example.FooTest#bar\"]"),
            ("work-dir", "\"/var/tmp\""),
        ],
    ),
    (
        "mutate",
        &[
            ("operators", "\"default\""),
            ("classes", "[\"com.example.*\"]"),
            ("exclude-classes", "[\"com.example.generated.*\"]"),
            ("exclude-methods", "[\"toString\", \"Foo#main\"]"),
            ("min-score", "80.0"),
            ("max-survived", "10"),
            (
                "ignore",
                "[{ classes = [\"Foo\"], operators = \"math\", reason = \"why\" }]",
            ),
        ],
    ),
    (
        "module.NAME",
        &[
            ("sources", "[\"core/src/main/java\"]"),
            ("test-sources", "[\"core/src/test/java\"]"),
            ("resources", "[\"core/src/main/resources\"]"),
            ("test-resources", "[\"core/src/test/resources\"]"),
            ("classpath", "[\"lib/extra.jar\"]"),
            ("test-classpath", "[\"lib/test-extra.jar\"]"),
            ("encoding", "\"ISO-8859-1\""),
            ("javac-args", "[\"-parameters\"]"),
            ("annotation-processors", "true"),
            ("skip-tests", "true"),
            ("tests", "{ jvm-args = [\"-ea\", \"-Xss2m\"] }"),
        ],
    ),
];

/// The text of a commented `braid.toml` for the project in `dir`.
///
/// Everything in it is commented out, so that it changes nothing until it is edited.
pub fn init(dir: &Path) -> String {
    let found = crate::discover::sighting(dir);
    template(&format!("Found here: {found}."))
}

/// The file with this first remark.
fn template(remark: &str) -> String {
    let schema = schema();
    let mut text = format!(
        "# Configuration of Braid. Everything here is optional: what is not set is found out from\n\
         # the project's own build. Remove the `#` before a setting to use it.\n#\n# {remark}\n"
    );
    for (section, settings) in SECTIONS {
        let own = section_schema(&schema, section);
        let about = own
            .and_then(|s| s.get("description"))
            .and_then(Value::as_str)
            .unwrap_or("");
        text.push('\n');
        comment(&mut text, about);
        let header = if section.contains('.') { "# " } else { "" };
        text.push_str(&format!("{header}[{section}]\n"));
        for (name, example) in settings {
            let setting = own.and_then(|s| s.pointer(&format!("/properties/{name}/description")));
            comment(&mut text, setting.and_then(Value::as_str).unwrap_or(""));
            text.push_str(&format!("# {name} = {example}\n"));
        }
    }
    text.push_str(
        "\n# Settings that are laid over the rest with `--profile ci`.\n\
         # [profile.ci.run]\n# jobs = 2\n",
    );
    text
}

fn section_schema<'a>(schema: &'a Value, section: &str) -> Option<&'a Value> {
    let name = section.split('.').next()?;
    let property = schema.pointer(&format!("/properties/{name}"))?;
    let property = property.get("additionalProperties").unwrap_or(property);
    let reference = property.get("$ref")?.as_str()?;
    schema.pointer(reference.strip_prefix('#')?)
}

/// Writes a description as comment lines of a readable length.
fn comment(text: &mut String, about: &str) {
    let mut line = String::from("#");
    for word in about.split_whitespace() {
        if line.len() + word.len() > 96 {
            text.push_str(&line);
            text.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    if line.len() > 1 {
        text.push_str(&line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::parse;
    use super::super::types::Config;
    use super::*;

    #[test]
    fn the_written_file_changes_nothing() {
        let mut config = parse(&template("x"), None).unwrap();
        config.module.clear();
        assert_eq!(config, Config::default());
    }

    #[test]
    fn every_setting_is_in_the_file_and_its_example_is_valid() {
        let setting = regex::Regex::new(r"(?m)^# ((?:[a-z-]+ = |\[).*)$").unwrap();
        let text = setting.replace_all(&template("x"), "$1").into_owned();
        parse(&text, Some("ci")).unwrap_or_else(|e| panic!("{e:?} in\n{text}"));
        let schema = schema();
        for (section, settings) in SECTIONS {
            let own = section_schema(&schema, section).unwrap();
            let properties = own["properties"].as_object().unwrap();
            let names: Vec<&str> = settings.iter().map(|(name, _)| *name).collect();
            for property in properties.keys() {
                assert!(
                    names.contains(&property.as_str()),
                    "{section}.{property} is missing"
                );
            }
            assert_eq!(names.len(), properties.len(), "{section}");
        }
    }

    #[test]
    fn the_schema_describes_every_setting() {
        let schema = schema();
        for (section, settings) in SECTIONS {
            for (name, _) in settings {
                let own = section_schema(&schema, section).unwrap();
                let about = &own["properties"][name]["description"];
                assert!(
                    about.as_str().is_some_and(|text| !text.is_empty()),
                    "{section}.{name}"
                );
            }
        }
    }
}
