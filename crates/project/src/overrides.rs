//! Lays `braid.toml` over what was found.

use std::path::{Path, PathBuf};

use crate::config::{LoadedConfig, ModuleConfig, ProjectConfig, TestsConfig};
use crate::error::ProjectError;
use crate::layout::expand;
use crate::model::{Module, ProjectKind};

/// Applies the settings for the project, for its tests and for single modules.
pub(crate) fn apply(
    modules: &mut [Module],
    loaded: &LoadedConfig,
    root: &Path,
    kind: ProjectKind,
) -> Result<(), ProjectError> {
    let base = loaded.base(root);
    let config = &loaded.config;
    if matches!(kind, ProjectKind::Maven | ProjectKind::Gradle) {
        let settings = of_project(&config.project);
        if settings.names_roots() && modules.len() != 1 {
            let message = "the project has several modules: set `sources` and the like in \
                           [module.NAME] instead of [project]";
            return Err(loaded.error(message.to_owned()).into());
        }
        modules
            .iter_mut()
            .for_each(|module| settings.apply(module, base));
    }
    for module in modules.iter_mut() {
        tests(&config.tests, module, base);
    }
    for (name, settings) in &config.module {
        let Some(module) = modules.iter_mut().find(|module| module.name == *name) else {
            let known: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
            let known = known.join(", ");
            return Err(ProjectError::NoModule {
                name: name.clone(),
                known,
            });
        };
        of_module(settings).apply(module, base);
        if settings.skip_tests == Some(true) {
            module.tests_skipped = Some("braid.toml says skip-tests".to_owned());
        } else if settings.skip_tests == Some(false) {
            module.tests_skipped = None;
        }
        tests(&settings.tests, module, base);
    }
    Ok(())
}

/// The settings that a project and a module have in common.
struct Common<'a> {
    roots: [Option<&'a Vec<PathBuf>>; 4],
    classpath: Option<&'a Vec<PathBuf>>,
    test_classpath: Option<&'a Vec<PathBuf>>,
    encoding: Option<&'a String>,
    javac_args: Option<&'a Vec<String>>,
    annotation_processors: Option<bool>,
}

macro_rules! common {
    ($settings:expr) => {
        Common {
            roots: [
                $settings.sources.as_ref(),
                $settings.test_sources.as_ref(),
                $settings.resources.as_ref(),
                $settings.test_resources.as_ref(),
            ],
            classpath: $settings.classpath.as_ref(),
            test_classpath: $settings.test_classpath.as_ref(),
            encoding: $settings.encoding.as_ref(),
            javac_args: $settings.javac_args.as_ref(),
            annotation_processors: $settings.annotation_processors,
        }
    };
}

fn of_project(settings: &ProjectConfig) -> Common<'_> {
    common!(settings)
}

fn of_module(settings: &ModuleConfig) -> Common<'_> {
    common!(settings)
}

impl Common<'_> {
    fn names_roots(&self) -> bool {
        self.roots.iter().any(Option::is_some)
    }

    fn apply(&self, module: &mut Module, base: &Path) {
        let own = [
            &mut module.source_roots,
            &mut module.test_roots,
            &mut module.resource_roots,
            &mut module.test_resource_roots,
        ];
        for (own, configured) in own.into_iter().zip(self.roots) {
            if let Some(configured) = configured {
                *own = configured.iter().map(|root| base.join(root)).collect();
            }
        }
        if let Some(classpath) = self.classpath {
            let entries = expand(base, classpath);
            module.compile_classpath.extend(entries.iter().cloned());
            module.test_classpath.extend(entries);
        }
        if let Some(classpath) = self.test_classpath {
            module.test_classpath.extend(expand(base, classpath));
        }
        if let Some(encoding) = self.encoding {
            module.encoding.clone_from(encoding);
        }
        if let Some(args) = self.javac_args {
            module.javac_args.clone_from(args);
            module.test_javac_args.clone_from(args);
        }
        if let Some(processors) = self.annotation_processors {
            module.annotation_processors = processors;
        }
    }
}

fn tests(settings: &TestsConfig, module: &mut Module, base: &Path) {
    if let Some(include) = &settings.include {
        module.tests.include.clone_from(include);
    }
    if let Some(exclude) = &settings.exclude {
        module.tests.exclude.clone_from(exclude);
    }
    if let Some(groups) = &settings.groups {
        module.tests.groups = Some(groups.clone());
    }
    if let Some(groups) = &settings.exclude_groups {
        module.tests.excluded_groups = Some(groups.clone());
    }
    if let Some(java) = &settings.java {
        module.java = Some(base.join(java));
    }
    if let Some(args) = &settings.jvm_args {
        module.jvm_args.clone_from(args);
    }
    if let Some(properties) = &settings.system_properties {
        module.system_properties.extend(properties.clone());
    }
    if let Some(env) = &settings.env {
        module.env.extend(env.clone());
    }
    if let Some(cwd) = &settings.cwd {
        module.test_cwd = base.join(cwd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn loaded(toml: &str) -> LoadedConfig {
        let config: Config = toml::from_str(toml).unwrap();
        LoadedConfig {
            config,
            file: Some("/p/braid.toml".into()),
        }
    }

    fn modules(names: &[&str]) -> Vec<Module> {
        let module = |name: &&str| Module {
            name: (*name).into(),
            ..Module::default()
        };
        names.iter().map(module).collect()
    }

    fn applied(names: &[&str], toml: &str) -> Result<Vec<Module>, ProjectError> {
        let mut modules = modules(names);
        apply(
            &mut modules,
            &loaded(toml),
            Path::new("/p"),
            ProjectKind::Maven,
        )?;
        Ok(modules)
    }

    #[test]
    fn module_settings_win_over_project_settings() {
        let toml = r#"
            [project]
            encoding = "A"
            classpath = ["x.jar"]
            [tests]
            jvm-args = ["-ea"]
            [module.b]
            encoding = "B"
            skip-tests = true
            [module.b.tests]
            jvm-args = ["-da"]
            env = { K = "v" }
        "#;
        let modules = applied(&["a", "b"], toml).unwrap();
        assert_eq!(
            (modules[0].encoding.as_str(), modules[1].encoding.as_str()),
            ("A", "B")
        );
        assert_eq!(modules[0].jvm_args, ["-ea"]);
        assert_eq!(modules[1].jvm_args, ["-da"]);
        assert_eq!(modules[1].env["K"], "v");
        assert!(modules[0].tests_skipped.is_none() && modules[1].tests_skipped.is_some());
        assert_eq!(modules[0].compile_classpath, [PathBuf::from("/p/x.jar")]);
    }

    #[test]
    fn roots_need_a_module_if_there_are_several() {
        let toml = "[project]\nsources = [\"s\"]";
        assert_eq!(
            applied(&["a"], toml).unwrap()[0].source_roots,
            [PathBuf::from("/p/s")]
        );
        let error = applied(&["a", "b"], toml).unwrap_err().to_string();
        assert!(error.contains("[module.NAME]"), "{error}");
    }

    #[test]
    fn an_unknown_module_is_an_error() {
        let error = applied(&["a", "b"], "[module.c]").unwrap_err().to_string();
        assert_eq!(error, "no module c; the modules are a, b");
    }
}
