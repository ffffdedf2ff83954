//! The one table of errors at the border: what each kind becomes in Python.
//!
//! The classes themselves live in `acklab.errors`, where their attributes are typed.

use acklab_scenario::ScenarioError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

/// Something that the core refused or that went wrong in it.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    /// Which class of `acklab.errors` it becomes.
    kind: Kind,
    message: String,
    place: Option<String>,
    value: Option<String>,
    accepted: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) enum Kind {
    /// An argument that makes no sense.
    #[serde(rename = "InputError")]
    Input,
    /// A scenario that makes no sense.
    #[serde(rename = "ScenarioError")]
    Scenario,
    /// A file that cannot be written.
    #[serde(rename = "OutputError")]
    Output,
    /// A fault of the simulator, or a run that was stopped.
    #[serde(rename = "RunError")]
    Run,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            place: None,
            value: None,
            accepted: None,
        }
    }

    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self {
            place: Some(place.into()),
            ..self
        }
    }

    pub(crate) fn found(self, value: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self {
            value: Some(value.into()),
            accepted: Some(accepted.into()),
            ..self
        }
    }

    pub(crate) fn panic(said: String) -> Self {
        Self::new(Kind::Run, said)
    }

    /// The exception to raise.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        self.exception(py).unwrap_or_else(|error| error)
    }

    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        let errors = py.import("acklab.errors")?;
        let exception = match self.kind {
            Kind::Run => errors.getattr("RunError")?.call1((self.message,))?,
            Kind::Input | Kind::Scenario | Kind::Output => {
                let class = match self.kind {
                    Kind::Scenario => "ScenarioError",
                    Kind::Output => "OutputError",
                    Kind::Input | Kind::Run => "InputError",
                };
                let named = PyDict::new(py);
                named.set_item("place", self.place)?;
                named.set_item("value", self.value)?;
                named.set_item("accepted", self.accepted)?;
                errors.getattr(class)?.call((self.message,), Some(&named))?
            }
        };
        Ok(PyErr::from_value(exception))
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        let mut place = error.file.to_string();
        if let Some(at) = error.place {
            place.push_str(&format!(":{}:{}", at.line, at.column));
        }
        if !error.key.is_empty() {
            place.push_str(&format!(": {}", error.key));
        }
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            kind: Kind::Scenario,
            message: error.message.into(),
            place: filled(&place),
            value: error.value.map(Into::into),
            accepted: filled(&error.accepted),
        }
    }
}
