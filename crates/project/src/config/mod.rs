//! `braid.toml`: the user's own words on the project, the build, the tests and the runs.

mod check;
mod init;
mod load;
mod types;

pub use init::init;
pub(crate) use load::{LoadedConfig, load};
pub use types::{
    BuildConfig, Config, FlakyPolicy, IgnoreConfig, KindChoice, ModuleConfig, MutateConfig,
    Profile, ProjectConfig, RunConfig, StrategyChoice, TestsConfig,
};

/// The name of the configuration file.
pub const CONFIG_FILE: &str = "braid.toml";

/// The JSON Schema of `braid.toml`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::schema;

    /// Run with `BRAID_UPDATE=1` to write the file anew.
    #[test]
    fn the_published_schema_is_up_to_date() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("braid.schema.json");
        let text = format!("{:#}\n", schema());
        if std::env::var_os("BRAID_UPDATE").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), text);
    }
}
