//! The text of a movement script of ns-2: written in the scenario, or in a file beside it.
//!
//! A file's name is relative to the folder of the scenario. What it says becomes part of the
//! resolved scenario, so that results are known by what moved and not by the name of a file. The
//! one invariant: a resolved motion names no file.

use super::Filling;
use crate::error::ScenarioError;
use acklab_radio::motion::setdest::SetdestError;
use std::borrow::Cow;
use std::fs;
use std::path::Path;

/// A script, and where it comes from.
pub(super) struct Script<'a> {
    pub(super) text: Cow<'a, str>,
    key: String,
    /// The file, as messages name it.
    file: Option<String>,
}

impl<'a> Script<'a> {
    /// The script of a motion, of which `key` is the place.
    pub(super) fn find(
        filling: &Filling<'_>,
        key: &str,
        script: Option<&'a str>,
        script_file: Option<&str>,
    ) -> Result<Self, ScenarioError> {
        let accepted = "script (the text) or script_file (a file beside the scenario), one of both";
        match (script, script_file) {
            (Some(text), None) => Ok(Self {
                text: Cow::Borrowed(text),
                key: format!("{key}.script"),
                file: None,
            }),
            (None, Some(name)) => {
                let key = format!("{key}.script_file");
                let folder = Path::new(filling.origin.file()).parent();
                let path = folder.unwrap_or(Path::new("")).join(name);
                let file = path.display().to_string();
                let text = fs::read_to_string(&path).map_err(|error| {
                    let message = format!("{file} cannot be read: {error}");
                    let accepted = "a movement script of ns-2 in UTF-8, beside the scenario";
                    filling.error(&key, Some(&name), message, accepted)
                })?;
                Ok(Self {
                    text: Cow::Owned(text),
                    key,
                    file: Some(file),
                })
            }
            (Some(_), Some(_)) => {
                let key = format!("{key}.script_file");
                Err(filling.error(
                    &key,
                    script_file.as_ref(),
                    "there is a script already",
                    accepted,
                ))
            }
            (None, None) => {
                let key = format!("{key}.script");
                Err(filling.error::<()>(&key, None, "missing key", accepted))
            }
        }
    }

    /// A script that cannot be read: the line is the value.
    pub(super) fn refused(&self, filling: &Filling<'_>, error: &SetdestError) -> ScenarioError {
        let line = self.text.lines().nth(error.line.saturating_sub(1));
        let written = super::text(&line.unwrap_or_default());
        let accepted = "a movement script of ns-2 (see docs/models/motion.md)";
        let message = match &self.file {
            Some(file) => format!("{file}:{}: {}", error.line, error.message),
            None => error.to_string(),
        };
        ScenarioError::new(filling.origin, &self.key, Some(written), message, accepted)
    }
}
