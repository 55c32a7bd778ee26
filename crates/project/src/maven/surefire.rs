//! From Surefire's configuration to how tests are chosen and run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::spy::{Artifact, Goal, MavenModule, Node};
use crate::filter::{NESTED, TestFilter};
use crate::jdk::home_of_launcher;
use crate::words;

/// How one module's tests run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SurefireSettings {
    pub(super) tests: TestFilter,
    pub(super) skipped: Option<String>,
    pub(super) java: Option<PathBuf>,
    pub(super) jvm_args: Vec<String>,
    pub(super) system_properties: BTreeMap<String, String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) env_removed: Vec<String>,
    pub(super) working_directory: Option<PathBuf>,
    pub(super) classpath_added: Vec<PathBuf>,
    pub(super) classpath_removed: Vec<PathBuf>,
    pub(super) warnings: Vec<String>,
}

/// Reads the first execution that is not skipped.
pub(super) fn settings(module: &MavenModule, repository: Option<&Path>) -> SurefireSettings {
    let goals: Vec<&Goal> = module.goals("maven-surefire-plugin", "test").collect();
    let Some(&first) = goals.first() else {
        let skipped = Some("Maven runs no Surefire in this module".to_owned());
        return SurefireSettings {
            skipped,
            ..SurefireSettings::default()
        };
    };
    let active: Vec<&Goal> = goals
        .iter()
        .copied()
        .filter(|goal| skip_reason(goal, module).is_none())
        .collect();
    let chosen = active.first().copied().unwrap_or(first);
    let mut settings = of_goal(chosen, module, repository);
    for other in active.iter().skip(1) {
        settings.warnings.push(format!(
            "{}: Surefire's execution `{}` is left out, only `{}` is read",
            module.artifact, other.execution, chosen.execution
        ));
    }
    settings
}

fn of_goal(goal: &Goal, module: &MavenModule, repository: Option<&Path>) -> SurefireSettings {
    let configuration = &goal.configuration;
    let mut settings = SurefireSettings {
        tests: filter(goal, module),
        skipped: skip_reason(goal, module),
        system_properties: system_properties(configuration, module, repository),
        env: configuration
            .map("environmentVariables")
            .into_iter()
            .collect(),
        env_removed: configuration.list("excludedEnvironmentVariables"),
        working_directory: configuration
            .text("workingDirectory")
            .map(|dir| module.dir.join(dir)),
        classpath_added: classpath_added(configuration, module),
        classpath_removed: classpath_removed(configuration, &module.test_artifacts),
        ..SurefireSettings::default()
    };
    settings.jvm_args(configuration, module);
    settings.java(goal, module);
    for name in ["suiteXmlFiles", "dependenciesToScan"] {
        if configuration.text(name).is_some() || !configuration.list(name).is_empty() {
            let text = format!("{}: Surefire's `{name}` is not honoured", module.artifact);
            settings.warnings.push(text);
        }
    }
    settings
}

impl SurefireSettings {
    /// `jvm` names a launcher and goes before toolchains.
    fn java(&mut self, goal: &Goal, module: &MavenModule) {
        let named = goal
            .configuration
            .text("jvm")
            .map(|jvm| module.dir.join(jvm));
        let Some(launcher) = named.or_else(|| goal.toolchain.clone()) else {
            return;
        };
        let is_launcher = launcher.parent().is_some_and(|bin| bin.ends_with("bin"));
        self.java = home_of_launcher(launcher.clone()).filter(|_| is_launcher);
        if self.java.is_none() {
            self.warnings.push(format!(
                "{}: Surefire's `jvm` is not honoured, {} is no path to `bin/java`",
                module.artifact,
                launcher.display()
            ));
        }
    }

    fn jvm_args(&mut self, configuration: &Node, module: &MavenModule) {
        let line = configuration.text("argLine").unwrap_or("");
        let (line, unknown) = late_properties(line, &module.properties);
        for name in unknown {
            self.warnings.push(format!(
                "{}: `@{{{name}}}` in Surefire's argLine is set by nothing and left out",
                module.artifact
            ));
        }
        if configuration.text("enableAssertions") != Some("false") {
            self.jvm_args.push("-ea".to_owned());
        }
        self.jvm_args.extend(words::split(&line));
    }
}

/// Why Maven would not run the tests. The command line of our own build says `skipTests`, so a
/// value that comes from there says nothing; a literal in the POM or one of its properties does.
fn skip_reason(goal: &Goal, module: &MavenModule) -> Option<String> {
    for name in ["skipTests", "skip", "skipExec"] {
        let Some(node) = goal.configuration.child(name) else {
            continue;
        };
        let raw = node.raw.as_deref().unwrap_or("").trim();
        let property = raw
            .strip_prefix("${")
            .and_then(|rest| rest.strip_suffix('}'));
        let value = match property {
            Some(property) => module.properties.get(property).map(String::as_str),
            None => Some(raw),
        };
        if value.map(str::trim) == Some("true") {
            return Some(format!("the POM says {}=true", property.unwrap_or(name)));
        }
    }
    None
}

fn filter(goal: &Goal, module: &MavenModule) -> TestFilter {
    let configuration = &goal.configuration;
    let patterns = |list: &str, file: &str| {
        let mut patterns: Vec<String> = configuration
            .list(list)
            .iter()
            .flat_map(|text| split_patterns(text))
            .collect();
        let listed = configuration.text(file).map(|file| module.dir.join(file));
        let listed = listed
            .and_then(|file| fs::read_to_string(file).ok())
            .unwrap_or_default();
        let lines = listed.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        patterns.extend(lines.map(str::to_owned));
        patterns
    };
    let mut include = patterns("includes", "includesFile");
    let mut exclude = patterns("excludes", "excludesFile");
    // A pattern with an exclamation mark among the includes is an exclude.
    include.retain(|pattern| match pattern.strip_prefix('!') {
        Some(negated) => {
            exclude.push(negated.to_owned());
            false
        }
        None => true,
    });
    if include.is_empty() {
        include = default_includes(goal.plugin_version.as_deref().unwrap_or(""));
    }
    if exclude.is_empty() {
        exclude.push(NESTED.to_owned());
    }
    TestFilter {
        include,
        exclude,
        groups: configuration.text("groups").map(str::to_owned),
        excluded_groups: configuration.text("excludedGroups").map(str::to_owned),
    }
}

/// One element may hold several patterns, separated by commas; not so within brackets.
fn split_patterns(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c == ',' || c == '\n') && depth == 0
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `*Tests` is among the defaults since version 2.20.
fn default_includes(version: &str) -> Vec<String> {
    let mut numbers = version
        .split(['.', '-'])
        .map(|n| n.parse::<u32>().unwrap_or(0));
    let old = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < (2, 20);
    let mut include = TestFilter::surefire_default().include;
    include.retain(|pattern| !(old && !version.is_empty() && pattern == "**/*Tests.java"));
    include
}

fn system_properties(
    configuration: &Node,
    module: &MavenModule,
    repository: Option<&Path>,
) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    if let Some(file) = configuration.text("systemPropertiesFile") {
        let text = fs::read_to_string(module.dir.join(file)).unwrap_or_default();
        properties.extend(words::properties(&text));
    }
    let old_form = configuration
        .child("systemProperties")
        .map_or(&[][..], |c| &c.children);
    for property in old_form {
        match (property.text("name"), property.text("value")) {
            (Some(name), value) => properties.insert(name.into(), value.unwrap_or("").into()),
            (None, _) => {
                let value = property.value.clone().unwrap_or_default();
                properties.insert(property.name.clone(), value)
            }
        };
    }
    properties.extend(configuration.map("systemPropertyVariables"));
    let junit = configuration
        .child("properties")
        .and_then(|c| c.text("configurationParameters"));
    properties.extend(junit.map(words::properties).unwrap_or_default());
    // Surefire itself sets these two.
    properties.insert("basedir".into(), module.dir.display().to_string());
    if let Some(repository) = repository {
        properties.insert("localRepository".into(), repository.display().to_string());
    }
    properties
}

fn classpath_added(configuration: &Node, module: &MavenModule) -> Vec<PathBuf> {
    let elements = configuration.list("additionalClasspathElements");
    let parts = elements
        .iter()
        .flat_map(|element| element.split(','))
        .map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(|part| module.dir.join(part))
        .collect()
}

fn classpath_removed(configuration: &Node, artifacts: &[Artifact]) -> Vec<PathBuf> {
    let mut excludes = configuration.list("classpathDependencyExcludes");
    excludes.extend(configuration.list("classpathDependencyExclude"));
    let scope = configuration.text("classpathDependencyScopeExclude");
    let removed = artifacts.iter().filter(|artifact| {
        let id = format!("{}:{}", artifact.group, artifact.artifact);
        excludes.iter().any(|pattern| id_matches(pattern, &id))
            || scope.is_some() && artifact.scope.as_deref() == scope
    });
    removed
        .filter_map(|artifact| artifact.file.clone())
        .collect()
}

/// `group:artifact`, where either may be or end with a star.
fn id_matches(pattern: &str, id: &str) -> bool {
    let part = |pattern: &str, text: &str| match pattern.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => pattern == text,
    };
    let (mut patterns, mut parts) = (pattern.trim().split(':'), id.split(':'));
    (0..2).all(|_| part(patterns.next().unwrap_or("*"), parts.next().unwrap_or("")))
}

/// Replaces `@{name}` by the property's value at the time the tests would start, and returns the
/// names that nothing sets.
fn late_properties(line: &str, properties: &BTreeMap<String, String>) -> (String, Vec<String>) {
    let (mut out, mut unknown, mut rest) = (String::new(), Vec::new(), line);
    while let Some((before, after)) = rest.split_once("@{") {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        match properties.get(name) {
            Some(value) => out.push_str(value),
            None => unknown.push(name.to_owned()),
        }
        rest = after;
    }
    out.push_str(rest);
    (out, unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(configuration: &str) -> MavenModule {
        let json = format!(
            r#"{{"artifact":"m","dir":"/p","properties":{{"argLine":"-Xmx1g","x.skip":"true"}},
                "goals":[{{"plugin":"maven-surefire-plugin","pluginVersion":"3.2.5","goal":"test",
                "execution":"default-test","configuration":
                {{"name":"configuration","children":[{configuration}]}}}}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn read(configuration: &str) -> SurefireSettings {
        settings(&module(configuration), Some(Path::new("/repo")))
    }

    #[test]
    fn late_bound_properties_are_filled_in_and_unknown_ones_reported() {
        let settings =
            read(r#"{"name":"argLine","value":"@{argLine} @{gone}\n -Da='b c' -XX:+UseSerialGC"}"#);
        assert_eq!(
            settings.jvm_args,
            ["-ea", "-Xmx1g", "-Da=b c", "-XX:+UseSerialGC"]
        );
        assert_eq!(settings.warnings.len(), 1);
        assert!(settings.warnings[0].contains("@{gone}"));
    }

    #[test]
    fn includes_may_hold_lists_negations_and_regular_expressions() {
        let settings = read(
            r#"{"name":"includes","children":[{"name":"include","value":"A, B"},
               {"name":"include","value":"!C"},{"name":"include","value":"%regex[a{1,2}[b,c]]"}]}"#,
        );
        assert_eq!(settings.tests.include, ["A", "B", "%regex[a{1,2}[b,c]]"]);
        assert_eq!(settings.tests.exclude, ["C"]);
    }

    #[test]
    fn the_jvm_is_that_of_the_launcher_or_else_of_the_toolchain() {
        let home = |configuration, toolchain: Option<&str>| {
            let mut module = module(configuration);
            module.goals[0].toolchain = toolchain.map(Into::into);
            settings(&module, None).java
        };
        let jvm = r#"{"name":"jvm","value":"/j/11/bin/java"}"#;
        assert_eq!(home(jvm, Some("/j/21/bin/java")), Some("/j/11".into()));
        assert_eq!(home("", Some("/j/21/bin/java")), Some("/j/21".into()));
        assert_eq!(home("", None), None);
        let settings = read(r#"{"name":"jvm","value":"java"}"#);
        assert!(settings.java.is_none() && settings.warnings[0].contains("not honoured"));
    }

    #[test]
    fn defaults_depend_on_the_version() {
        assert_eq!(default_includes("2.12.4").len(), 3);
        assert_eq!(default_includes("2.22.2").len(), 4);
        assert_eq!(default_includes("3.2.5").len(), 4);
    }

    #[test]
    fn skipping_counts_only_if_the_pom_says_so() {
        let ours = r#"{"name":"skipTests","raw":"${skipTests}","value":"true"}"#;
        assert_eq!(read(ours).skipped, None);
        let literal = r#"{"name":"skipTests","raw":"true","value":"true"}"#;
        assert_eq!(
            read(literal).skipped.as_deref(),
            Some("the POM says skipTests=true")
        );
        let property = r#"{"name":"skipTests","raw":"${x.skip}","value":"true"}"#;
        assert_eq!(
            read(property).skipped.as_deref(),
            Some("the POM says x.skip=true")
        );
    }

    #[test]
    fn system_properties_come_in_three_forms() {
        let settings = read(
            r#"{"name":"systemProperties","children":[{"name":"property","children":[
                 {"name":"name","value":"a"},{"name":"value","value":"1"}]}]},
               {"name":"systemPropertyVariables","children":[{"name":"b","value":"2"}]},
               {"name":"properties","children":[
                 {"name":"configurationParameters","value":"c = 3\nd = 4"}]}"#,
        );
        let pairs: Vec<_> = settings
            .system_properties
            .iter()
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        assert_eq!(
            pairs,
            [
                "a=1",
                "b=2",
                "basedir=/p",
                "c=3",
                "d=4",
                "localRepository=/repo"
            ]
        );
    }

    #[test]
    fn dependencies_are_excluded_by_id_with_stars() {
        assert!(id_matches("g:a", "g:a") && id_matches("g:*", "g:a") && id_matches("g", "g:a"));
        assert!(!id_matches("g:b", "g:a"));
    }
}
