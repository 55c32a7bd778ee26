//! What the helper inside the Maven build writes down.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// The format this code reads; the helper writes the same number.
pub(super) const FORMAT: u32 = 1;

/// The whole build.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Session {
    pub(super) format: u32,
    pub(super) maven: Option<String>,
    pub(super) local_repository: Option<PathBuf>,
    pub(super) modules: Vec<MavenModule>,
}

/// One Maven project.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MavenModule {
    pub(super) group: String,
    pub(super) artifact: String,
    pub(super) dir: PathBuf,
    pub(super) poms: Vec<PathBuf>,
    pub(super) goals: Vec<Goal>,
    pub(super) processor_path: Vec<PathBuf>,
    pub(super) build_directory: PathBuf,
    pub(super) classes: PathBuf,
    pub(super) test_classes: PathBuf,
    pub(super) source_roots: Vec<PathBuf>,
    pub(super) test_roots: Vec<PathBuf>,
    pub(super) resources: Vec<Resource>,
    pub(super) test_resources: Vec<Resource>,
    pub(super) compile_classpath: Vec<PathBuf>,
    pub(super) test_classpath: Vec<PathBuf>,
    pub(super) compile_artifacts: Vec<Artifact>,
    pub(super) test_artifacts: Vec<Artifact>,
    pub(super) properties: BTreeMap<String, String>,
}

impl MavenModule {
    /// The goals of a plugin that ran, in order.
    pub(super) fn goals<'a>(
        &'a self,
        plugin: &'a str,
        goal: &'a str,
    ) -> impl Iterator<Item = &'a Goal> {
        self.goals
            .iter()
            .filter(move |g| g.plugin == plugin && g.goal == goal)
    }
}

/// A folder of resources.
#[derive(Debug, Deserialize)]
pub(super) struct Resource {
    pub(super) directory: PathBuf,
}

/// Something on the class path that Maven resolved.
#[derive(Debug, Deserialize)]
pub(super) struct Artifact {
    pub(super) group: String,
    pub(super) artifact: String,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) classifier: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) file: Option<PathBuf>,
}

impl Artifact {
    /// Whether this is a module's tests rather than the module itself.
    pub(super) fn is_test_jar(&self) -> bool {
        self.kind.as_deref() == Some("test-jar") || self.classifier.as_deref() == Some("tests")
    }
}

/// One execution of a goal, with its configuration evaluated.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Goal {
    pub(super) plugin: String,
    #[serde(default)]
    pub(super) plugin_version: Option<String>,
    pub(super) goal: String,
    pub(super) execution: String,
    /// The launcher of the toolchain that was chosen for this goal.
    #[serde(default)]
    pub(super) toolchain: Option<PathBuf>,
    pub(super) configuration: Node,
}

/// One element of a goal's configuration.
#[derive(Debug, Default, Clone, Deserialize)]
pub(super) struct Node {
    pub(super) name: String,
    /// The text before evaluation.
    #[serde(default)]
    pub(super) raw: Option<String>,
    #[serde(default)]
    pub(super) value: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<Node>,
}

impl Node {
    /// The child with this name.
    pub(super) fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The value of the child with this name, if it is not empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let value = self.child(name)?.value.as_deref()?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// Whether the child with this name is `true`.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// The values of the children of the child with this name; a plain value is a list with
    /// commas, as Maven reads it.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let Some(child) = self.child(name) else {
            return Vec::new();
        };
        if child.children.is_empty() {
            let value = child.value.as_deref().unwrap_or("");
            return value
                .split(',')
                .map(str::trim)
                .filter(|v| !v.is_empty())
                .map(Into::into)
                .collect();
        }
        child
            .children
            .iter()
            .filter_map(|c| c.value.clone())
            .collect()
    }

    /// The names and values of the children of the child with this name.
    pub(super) fn map(&self, name: &str) -> Vec<(String, String)> {
        let children = self.child(name).map_or(&[][..], |child| &child.children);
        let pair = |c: &Node| (c.name.clone(), c.value.clone().unwrap_or_default());
        children.iter().map(pair).collect()
    }
}
