//! `braid.toml`: the user's own words on the project, the build, the tests and the runs.

mod check;
mod init;
mod load;
mod types;

pub use init::init;
pub(crate) use load::{LoadedConfig, load};
pub use types::{
    BuildConfig, Config, FlakyPolicy, KindChoice, ModuleConfig, Profile, ProjectConfig, RunConfig,
    StrategyChoice, TestsConfig,
};

/// The name of the configuration file.
pub const CONFIG_FILE: &str = "braid.toml";

/// The JSON Schema of `braid.toml`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}
