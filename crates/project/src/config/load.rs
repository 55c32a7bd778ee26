//! Reading `braid.toml` and laying the chosen profile over it.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Value;
use toml::de::DeTable;

use super::check::{check, nearest};
use super::schema;
use super::types::Config;
use crate::error::{ConfigError, ProjectError};

/// A configuration and where it came from.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoadedConfig {
    /// The settings, with the profile laid over them.
    pub(crate) config: Config,
    /// The file, if there is one.
    pub(crate) file: Option<PathBuf>,
}

impl LoadedConfig {
    /// The folder that relative paths in the file start from.
    pub(crate) fn base<'a>(&'a self, root: &'a Path) -> &'a Path {
        self.file.as_deref().and_then(Path::parent).unwrap_or(root)
    }

    /// A complaint about the file as a whole.
    pub(crate) fn error(&self, message: String) -> ConfigError {
        let file = self
            .file
            .clone()
            .unwrap_or_else(|| super::CONFIG_FILE.into());
        ConfigError {
            file,
            line: 0,
            column: 0,
            message,
        }
    }
}

/// Reads the configuration file, if there is one.
pub(crate) fn load(
    file: Option<&Path>,
    profile: Option<&str>,
) -> Result<LoadedConfig, ProjectError> {
    let Some(file) = file else {
        return match profile {
            None => Ok(LoadedConfig::default()),
            Some(name) => {
                let message = format!("profile `{name}` was asked for, but there is no braid.toml");
                Err(LoadedConfig::default().error(message).into())
            }
        };
    };
    let bytes = fs::read(file).map_err(ProjectError::io("read", file))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let message = format!("not UTF-8 after byte {}", e.utf8_error().valid_up_to());
        ConfigError {
            file: file.to_owned(),
            line: 0,
            column: 0,
            message,
        }
    })?;
    let config = parse(&text, profile).map_err(|(span, message)| {
        let (line, column) = span.map_or((0, 0), |span| position(&text, span.start));
        ConfigError {
            file: file.to_owned(),
            line,
            column,
            message,
        }
    })?;
    Ok(LoadedConfig {
        config,
        file: Some(file.to_owned()),
    })
}

type Complaint = (Option<Range<usize>>, String);

/// Parses the text of a configuration file.
pub(super) fn parse(text: &str, profile: Option<&str>) -> Result<Config, Complaint> {
    let of_toml = |e: toml::de::Error| (e.span(), e.message().to_owned());
    let document = DeTable::parse(text).map_err(of_toml)?;
    check(document.get_ref(), &schema()).map_err(|c| (Some(c.span), c.message))?;
    let config: Config = toml::from_str(text).map_err(of_toml)?;
    let Some(profile) = profile else {
        return Ok(config);
    };
    let mut table: toml::Table = toml::from_str(text).map_err(of_toml)?;
    let chosen = table
        .get("profile")
        .and_then(|profiles| profiles.get(profile))
        .cloned();
    let Some(Value::Table(chosen)) = chosen else {
        let known: Vec<&str> = config.profile.keys().map(String::as_str).collect();
        return Err((None, no_profile(profile, &known)));
    };
    lay_over(&mut table, chosen);
    Config::deserialize_table(table).map_err(of_toml)
}

impl Config {
    fn deserialize_table(table: toml::Table) -> Result<Self, toml::de::Error> {
        table.try_into()
    }
}

fn no_profile(name: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return format!("no profile `{name}`: the file has none");
    }
    match nearest(name, known) {
        Some(guess) => format!("no profile `{name}`; did you mean `{guess}`?"),
        None => format!("no profile `{name}`; there are {}", known.join(", ")),
    }
}

/// Tables are merged, everything else is replaced.
fn lay_over(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(over)) => lay_over(base, over),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Line and column, from 1, of a byte offset.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("braid.toml");
        fs::write(&file, text).unwrap();
        let error = load(Some(&file), None).unwrap_err().to_string();
        error
            .strip_prefix(&format!("{}:", file.display()))
            .unwrap()
            .to_owned()
    }

    #[test]
    fn an_unknown_key_is_an_error_with_its_place_and_a_guess() {
        assert_eq!(
            error("[project]\nencoding = \"UTF-8\"\n  encodng = \"x\"\n"),
            "3:3: unknown key `encodng` in [project]; did you mean `encoding`?"
        );
        assert_eq!(
            error("[tests]\njvm_args = []\n"),
            "2:1: unknown key `jvm_args` in [tests]; did you mean `jvm-args`?"
        );
        assert_eq!(
            error("[profile.ci.tets]\n"),
            "1:13: unknown key `tets` in [profile.ci]; did you mean `tests`?"
        );
        assert_eq!(
            error("[tests]\nheap-mb = 5\n"),
            "2:1: unknown key `heap-mb` in [tests]; it belongs into [run]"
        );
        assert!(error("zzz = 1").contains("known are build, module, mutate, profile"));
    }

    #[test]
    fn wrong_types_values_and_syntax_are_errors_with_their_place() {
        assert!(error("[run]\njobs = \"two\"").starts_with("2:8: invalid type: string"));
        assert_eq!(
            error("[run]\njobs = 0"),
            "2:8: `run.jobs` must be at least 1"
        );
        assert!(error("[run]\n\nflaky = \"never\"").starts_with("3:9: unknown variant `never`"));
        assert!(error("[run\n").starts_with("1:5: "));
    }

    #[test]
    fn a_profile_is_laid_over_the_rest() {
        let text = r#"
            [run]
            jobs = 2
            heap-mb = 256
            [tests.system-properties]
            a = "1"
            [profile.ci.run]
            jobs = 8
            [profile.ci.tests.system-properties]
            b = "2"
        "#;
        let plain = parse(text, None).unwrap();
        assert_eq!((plain.run.jobs, plain.run.heap_mb), (Some(2), Some(256)));
        let ci = parse(text, Some("ci")).unwrap();
        assert_eq!((ci.run.jobs, ci.run.heap_mb), (Some(8), Some(256)));
        assert_eq!(ci.tests.system_properties.unwrap().len(), 2);
        let (_, message) = parse(text, Some("cI")).unwrap_err();
        assert_eq!(message, "no profile `cI`; did you mean `ci`?");
    }
}
