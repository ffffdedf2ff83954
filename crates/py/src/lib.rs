//! The extension module `acklab._native`: conversions only.
//!
//! Texts that cross the border are JSON. What is here: the table of errors ([`border`]), the calls
//! into the core ([`engine`]), what they answer ([`answer`]), and threads for many runs
//! ([`batch`]), which read each scenario once ([`scenarios`]). What is not: any rule of a model, any
//! default, any statistics. The one invariant: no call holds Python's lock while the core works.

mod answer;
mod batch;
mod border;
mod engine;
mod guard;
mod policy;
mod scenarios;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The simulator's core, compiled from Rust. Texts are JSON; use the classes of `acklab` instead.
#[pymodule]
mod _native {
    use super::{Bound, Py, PyDict, PyModule, PyResult, Python, engine, guard, policy, pyfunction};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::policy::Segment;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        guard::install();
        Ok(())
    }

    /// The scenario with every default filled in, and the source of each default, as JSON.
    #[pyfunction]
    fn resolve(py: Python<'_>, text: &str, name: &str, format: &str) -> PyResult<String> {
        py.detach(|| engine::resolve(text, name, format))
            .map_err(|error| error.raise(py))
    }

    /// The result of one run as JSON.
    #[pyfunction]
    #[pyo3(signature = (resolved, seed, run, options = None, policies = None))]
    fn run(
        py: Python<'_>,
        resolved: &str,
        seed: u64,
        run: u32,
        options: Option<&str>,
        policies: Option<Py<PyDict>>,
    ) -> PyResult<String> {
        let stop = Arc::new(AtomicBool::new(false));
        let policies = policies.map(|policies| policy::handed(policies, Arc::clone(&stop)));
        let read = || engine::read_resolved(resolved);
        py.detach(|| guard::caught(|| engine::run(read, seed, run, options, policies, &stop)))
            .map_err(|failure| failure.raise(py))
    }

    /// How the nodes of one run move, as a movement script of ns-2.
    #[pyfunction]
    fn movement(py: Python<'_>, resolved: &str, seed: u64, run: u32) -> PyResult<String> {
        py.detach(|| guard::caught(|| engine::movement(resolved, seed, run)))
            .map_err(|failure| failure.raise(py))
    }

    /// The JSON Schema of a scenario.
    #[pyfunction]
    fn json_schema() -> String {
        acklab_scenario::json_schema()
    }

    /// A commented scenario to begin from.
    #[pyfunction]
    fn starter() -> &'static str {
        acklab_scenario::starter()
    }

    /// Every declared measure as a JSON list of name, unit, scope and what it is.
    #[pyfunction]
    fn measures() -> String {
        engine::measures()
    }

    /// The version of the core.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Whether this build was guided by a profile of the engine's runs.
    #[pyfunction]
    fn guided() -> bool {
        acklab_world::GUIDED
    }
}
