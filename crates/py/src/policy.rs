//! ACK policies written in Python.
//!
//! Each receiver of each run gets a deep copy of the policy that was handed over, so that runs do
//! not see each other's state. An exception in it ends that run: it travels as a panic, which
//! [`crate::guard`] turns into the run's failure. The one invariant: Python's lock is held only
//! while Python code runs.

use crate::guard::Fault;
use acklab_base::{Duration, FlowId, Instant};
use acklab_tcp::ack::{AckPolicy, AckReason, Arrival, Decision, DelayTimer, Disorder};
use acklab_world::Policies;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};
use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A segment as a receiver sees it.
#[pyclass(frozen, module = "acklab._native")]
pub(crate) struct Segment(Arrival);

#[pymethods]
impl Segment {
    /// When it came, in simulated seconds.
    #[getter]
    fn now_s(&self) -> f64 {
        (self.0.now - Instant::ZERO).as_nanos() as f64 / 1e9
    }

    /// The number of its packet, the SYN being 0 and the first data segment 1.
    #[getter]
    fn number(&self) -> u64 {
        self.0.number
    }

    /// The number of the packet that is expected next, this one taken in.
    #[getter]
    fn expected(&self) -> u64 {
        self.0.expected
    }

    /// Bytes of data in it.
    #[getter]
    fn length(&self) -> u32 {
        self.0.len
    }

    /// Bytes of data in a full segment.
    #[getter]
    fn mss(&self) -> u32 {
        self.0.mss
    }

    /// In-order segments that wait for an ACK, this one included if it is in order.
    #[getter]
    fn waiting(&self) -> u32 {
        self.0.waiting
    }

    /// Their bytes.
    #[getter]
    fn waiting_bytes(&self) -> u64 {
        self.0.waiting_bytes
    }
}

/// The policies that Python hands over with a run: names to objects that are copied.
#[derive(Debug)]
struct Handed {
    templates: Py<PyDict>,
    stop: Arc<AtomicBool>,
}

/// What the core takes. Once `stop` is set, no further decision is asked for: each may take long.
pub(crate) fn handed(templates: Py<PyDict>, stop: Arc<AtomicBool>) -> Arc<dyn Policies> {
    Arc::new(Handed { templates, stop })
}

impl Policies for Handed {
    fn make(&self, name: &str, _flow: FlowId) -> Option<Box<dyn AckPolicy>> {
        Python::attach(|py| {
            let template = self.templates.bind(py).get_item(name).ok().flatten()?;
            let policy = InPython::copy_of(py, name, &template, &self.stop);
            Some(Box::new(policy) as Box<dyn AckPolicy>)
        })
    }

    fn names(&self) -> Vec<String> {
        Python::attach(|py| {
            let keys = self.templates.bind(py).keys();
            keys.iter().map(|key| key.to_string()).collect()
        })
    }
}

/// A policy whose decisions Python takes.
#[derive(Debug)]
struct InPython {
    name: String,
    object: Py<PyAny>,
    timer: DelayTimer,
    /// Whether it has an answer of its own to segments in disorder.
    minds_disorder: bool,
    hears_acks: bool,
    stop: Arc<AtomicBool>,
}

/// What a policy may say: time is whole nanoseconds, and 292 years are all that the core counts.
const ANSWERS: &str = "None to acknowledge now, or the seconds to wait, 1e-9 to 9.2e9";

impl InPython {
    fn copy_of(
        py: Python<'_>,
        name: &str,
        template: &Bound<'_, PyAny>,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        let copied = || -> PyResult<Self> {
            let object = py.import("copy")?.call_method1("deepcopy", (template,))?;
            let timer = timer_of(&object)?;
            let base = py.import("acklab.policy")?.getattr("AckPolicy")?;
            // The methods of the base do nothing, but an object may have some of its own.
            let overrides = |name: &str| -> PyResult<bool> {
                let method = object.getattr(name)?;
                let function = method.getattr("__func__").unwrap_or(method);
                Ok(!function.is(&base.getattr(name)?))
            };
            Ok(Self {
                name: name.to_owned(),
                minds_disorder: overrides("on_disorder")?,
                hears_acks: overrides("on_ack_sent")?,
                timer,
                object: object.unbind(),
                stop: Arc::clone(stop),
            })
        };
        copied().unwrap_or_else(|error| fault(py, name, &error))
    }

    /// Ends the run before Python is asked for anything more.
    fn end_if_stopped(&self) {
        if self.stop.load(Ordering::Relaxed) {
            panic_any(Fault("stopped before its end".to_owned()));
        }
    }

    fn decide(&self, py: Python<'_>, arrival: &Arrival) -> PyResult<Decision> {
        let segment = (Segment(*arrival),);
        let object = self.object.bind(py);
        let answer = object.call_method1(intern!(py, "on_segment"), segment)?;
        self.meant_by(&answer, "on_segment", AckReason::Count)
    }

    fn decide_in_disorder(
        &self,
        py: Python<'_>,
        arrival: &Arrival,
        disorder: Disorder,
    ) -> PyResult<Decision> {
        let reason = disorder.reason();
        let segment = (Segment(*arrival), word(reason));
        let object = self.object.bind(py);
        let answer = object.call_method1(intern!(py, "on_disorder"), segment)?;
        self.meant_by(&answer, "on_disorder", reason)
    }

    /// The decision that a method's answer means; `reason` is that of an ACK at once.
    fn meant_by(
        &self,
        answer: &Bound<'_, PyAny>,
        method: &str,
        reason: AckReason,
    ) -> PyResult<Decision> {
        if answer.is_none() {
            return Ok(Decision::Now(reason));
        }
        let interval = wait(answer).ok_or_else(|| {
            let place = defined_at(self.object.bind(answer.py()), method).ok();
            PyValueError::new_err(format!(
                "{method} returned {:.1000}; accepted: {ANSWERS}{}",
                format!("{answer:?}"),
                in_brackets(place)
            ))
        })?;
        Ok(Decision::Wait {
            interval,
            timer: self.timer,
        })
    }
}

/// What `restart_timer` says. It was looked at when the policy was handed over, but may be worked
/// out anew by each copy.
fn timer_of(object: &Bound<'_, PyAny>) -> PyResult<DelayTimer> {
    let found = object.getattr("restart_timer")?;
    let every: bool = found.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "restart_timer is {found:?}; accepted: True or False"
        ))
    })?;
    Ok(if every {
        DelayTimer::EveryWaiting
    } else {
        DelayTimer::FirstWaiting
    })
}

/// The wait that an answer asks for; `None` if it is no number of seconds that can be waited.
fn wait(answer: &Bound<'_, PyAny>) -> Option<Duration> {
    if !answer.is_exact_instance_of::<PyFloat>() && is_truth(answer) {
        return None;
    }
    let nanos = (answer.extract::<f64>().ok()? * 1e9).round();
    // What is less than half a nanosecond would be no wait at all, as zero is none.
    (nanos >= 1.0 && nanos < i64::MAX as f64).then(|| Duration::from_nanos(nanos as u64))
}

/// Python and NumPy take a truth for a number if asked, but here it is a slip.
fn is_truth(answer: &Bound<'_, PyAny>) -> bool {
    let name = answer.get_type().name();
    name.is_ok_and(|name| name == "bool" || name == "bool_")
}

impl AckPolicy for InPython {
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        self.end_if_stopped();
        Python::attach(|py| {
            self.decide(py, arrival)
                .unwrap_or_else(|error| fault(py, &self.name, &error))
        })
    }

    fn on_disorder(&mut self, arrival: &Arrival, disorder: Disorder) -> Decision {
        if !self.minds_disorder {
            return Decision::Now(disorder.reason());
        }
        self.end_if_stopped();
        Python::attach(|py| {
            self.decide_in_disorder(py, arrival, disorder)
                .unwrap_or_else(|error| fault(py, &self.name, &error))
        })
    }

    fn on_ack_sent(&mut self, now: Instant, reason: AckReason) {
        if !self.hears_acks {
            return;
        }
        self.end_if_stopped();
        let seconds = (now - Instant::ZERO).as_nanos() as f64 / 1e9;
        Python::attach(|py| {
            let object = self.object.bind(py);
            let called = object.call_method1(intern!(py, "on_ack_sent"), (seconds, word(reason)));
            if let Err(error) = called {
                fault(py, &self.name, &error);
            }
        });
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Python::attach(|py| {
            let copy = Self::copy_of(py, &self.name, self.object.bind(py), &self.stop);
            Box::new(copy) as Box<dyn AckPolicy>
        })
    }
}

const fn word(reason: AckReason) -> &'static str {
    match reason {
        AckReason::Count => "count",
        AckReason::Timer => "timer",
        AckReason::OutOfOrder => "out-of-order",
        AckReason::Duplicate => "duplicate",
        AckReason::GapFilled => "gap-filled",
        AckReason::Syn => "syn",
        AckReason::Every => "every",
        AckReason::Held => "held",
        AckReason::Window => "window",
    }
}

/// Ends the run that is at work on this thread.
fn fault(py: Python<'_>, name: &str, error: &PyErr) -> ! {
    let trace = error.traceback(py);
    let place = in_brackets(trace.and_then(|trace| last_line(&trace).ok()));
    panic_any(Fault(format!(
        "the ACK policy {name} failed: {error}{place}"
    )))
}

/// What is told of a place, if it is known.
fn in_brackets(place: Option<String>) -> String {
    place.map_or_else(String::new, |place| format!(" ({place})"))
}

/// File and line where a method begins, below its decorators.
fn defined_at(object: &Bound<'_, PyAny>, method: &str) -> PyResult<String> {
    let unwrap = object.py().import("inspect")?.getattr("unwrap")?;
    let code = unwrap
        .call1((object.getattr(method)?,))?
        .getattr("__code__")?;
    let file: String = code.getattr("co_filename")?.extract()?;
    let line: u32 = code.getattr("co_firstlineno")?.extract()?;
    Ok(format!("{file}, line {line}"))
}

/// File and line of the innermost frame.
fn last_line(trace: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut frame = trace.clone();
    loop {
        let next = frame.getattr("tb_next")?;
        if next.is_none() {
            break;
        }
        frame = next;
    }
    let code = frame.getattr("tb_frame")?.getattr("f_code")?;
    let file: String = code.getattr("co_filename")?.extract()?;
    let line: u32 = frame.getattr("tb_lineno")?.extract()?;
    Ok(format!("{file}, line {line}"))
}
