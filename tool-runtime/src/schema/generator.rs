//! The settings with which schemars generates the schema of a type.

use schemars::generate::SchemaSettings;

/// The settings for a schema without references, except in recursive types.
pub(crate) fn inline_settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    })
}
