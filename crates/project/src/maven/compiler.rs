//! From the compiler plugin's configuration to options for javac.

use super::spy::Node;
use crate::words::without_checkers;

/// What the compiler was told for one set of sources.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CompilerSettings {
    pub(super) encoding: Option<String>,
    pub(super) javac_args: Vec<String>,
    /// `-proc` as configured: `none`, `only`, `full`.
    pub(super) proc: Option<String>,
    /// Whether processors are named or a processor path is given.
    pub(super) processors_configured: bool,
    pub(super) excludes: Vec<String>,
    pub(super) compiler_id: Option<String>,
}

/// Reads the configuration of `compile`, or of `testCompile` if `for_tests`.
pub(super) fn settings(configuration: &Node, for_tests: bool) -> CompilerSettings {
    let own = |test: &str, main: &str| {
        let value = configuration.text(test).filter(|_| for_tests);
        value
            .or_else(|| configuration.text(main))
            .map(str::to_owned)
    };
    let mut args = Vec::new();
    if let Some(release) = own("testRelease", "release") {
        args.extend(["--release".to_owned(), release]);
    } else {
        let source = own("testSource", "source");
        args.extend(source.into_iter().flat_map(|v| ["-source".to_owned(), v]));
        let target = own("testTarget", "target");
        args.extend(target.into_iter().flat_map(|v| ["-target".to_owned(), v]));
    }
    for (flag, option) in [
        ("parameters", "-parameters"),
        ("enablePreview", "--enable-preview"),
    ] {
        if configuration.flag(flag) {
            args.push(option.to_owned());
        }
    }
    let mut proc = configuration.text("proc").map(str::to_owned);
    let mut processors_configured = configuration
        .child("annotationProcessorPaths")
        .is_some_and(|c| !c.children.is_empty());
    let processors = configuration.list("annotationProcessors");
    if !processors.is_empty() {
        processors_configured = true;
        args.extend(["-processor".to_owned(), processors.join(",")]);
    }
    let mut extra = extra_arguments(configuration, for_tests);
    if let Some(at) = extra.iter().position(|arg| arg.starts_with("-proc:")) {
        proc = Some(extra.remove(at)["-proc:".len()..].to_owned());
    }
    args.extend(without_checkers(extra));
    CompilerSettings {
        encoding: configuration.text("encoding").map(str::to_owned),
        javac_args: args,
        proc,
        processors_configured,
        excludes: configuration.list(if for_tests {
            "testExcludes"
        } else {
            "excludes"
        }),
        compiler_id: configuration.text("compilerId").map(str::to_owned),
    }
}

fn extra_arguments(configuration: &Node, for_tests: bool) -> Vec<String> {
    let mut args = Vec::new();
    let named = |test: &'static str, main: &'static str| {
        if for_tests
            && configuration
                .child(test)
                .is_some_and(|c| !c.children.is_empty() || c.value.is_some())
        {
            test
        } else {
            main
        }
    };
    for (name, value) in configuration.map(named("testCompilerArguments", "compilerArguments")) {
        args.push(if name.starts_with('-') {
            name
        } else {
            format!("-{name}")
        });
        if !value.is_empty() {
            args.push(value);
        }
    }
    args.extend(
        configuration
            .text(named("testCompilerArgument", "compilerArgument"))
            .map(str::to_owned),
    );
    args.extend(configuration.list("compilerArgs"));
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(json: &str) -> Node {
        serde_json::from_str(json).unwrap()
    }

    fn leaf(name: &str, value: &str) -> String {
        format!(r#"{{"name":"{name}","value":"{value}"}}"#)
    }

    fn configuration(children: &[String]) -> Node {
        node(&format!(
            r#"{{"name":"configuration","children":[{}]}}"#,
            children.join(",")
        ))
    }

    #[test]
    fn release_wins_over_source_and_target() {
        let all = [
            leaf("source", "8"),
            leaf("target", "9"),
            leaf("release", "11"),
        ];
        assert_eq!(
            settings(&configuration(&all), false).javac_args,
            ["--release", "11"]
        );
        let old = settings(&configuration(&all[..2]), false).javac_args;
        assert_eq!(old, ["-source", "8", "-target", "9"]);
    }

    #[test]
    fn test_settings_win_for_tests_only() {
        let all = configuration(&[leaf("release", "11"), leaf("testRelease", "17")]);
        assert_eq!(settings(&all, false).javac_args, ["--release", "11"]);
        assert_eq!(settings(&all, true).javac_args, ["--release", "17"]);
    }

    #[test]
    fn arguments_are_kept_but_checkers_are_not() {
        let args = r#"{"name":"compilerArgs","children":[
            {"name":"arg","value":"-Xlint:all"},{"name":"arg","value":"-Werror"},
            {"name":"arg","value":"-Akey=v"},{"name":"arg","value":"-proc:none"},
            {"name":"arg","value":"--add-exports"},{"name":"arg","value":"java.base/x=ALL-UNNAMED"}]}"#;
        let all = configuration(&[leaf("parameters", "true"), args.to_owned()]);
        let settings = settings(&all, false);
        let kept = [
            "-parameters",
            "-Akey=v",
            "--add-exports",
            "java.base/x=ALL-UNNAMED",
        ];
        assert_eq!(settings.javac_args, kept);
        assert_eq!(settings.proc.as_deref(), Some("none"));
    }
}
