//! Many runs on threads of our own, handed to Python as they finish.
//!
//! Where runs take milliseconds, to wake Python for each of them costs more than what it does with the result:
//! it takes a core away from a run, and finds nothing of its own in the cache. So those that finish within
//! [`GATHERING`] are handed over together. They are kept here until each is fetched: Python hears Ctrl-C when a call
//! returns, and what that call had returned would be gone. The one invariant: every job that was not cancelled is
//! handed over exactly once, with a result or with a failure.

use crate::border::Failure;
use crate::scenarios::Scenarios;
use crate::{engine, guard, policy};
use acklab_world::Policies;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// What a thread may pile up: a policy in Python may call libraries that need as much as in Python's own
/// main thread (eight megabytes on most systems). Only what is used takes memory.
const STACK: usize = 16 << 20;

/// For how long the first of those that are handed over together waits for the others.
const GATHERING: Duration = Duration::from_millis(20);

/// With how many results that wait for Python no further run begins, and with how many more for each worker: where
/// runs are so short, or cores so many, that Python cannot follow, the memory would fill up, and a request to end
/// would have to wait, or would throw away more.
const ROOM: usize = 1024;
const ROOM_EACH: usize = 16;

/// How long a thread waits for room.
const PAUSE: Duration = Duration::from_millis(1);

/// A run to do, as Python writes it. Its texts stay Python's own: many jobs share one scenario.
#[derive(FromPyObject)]
enum Job {
    /// Resolved scenario, seed, run number, options, ACK policies of one's own by name.
    WithPolicies(PyBackedStr, u64, u32, Option<PyBackedStr>, Py<PyDict>),
    /// Resolved scenario, seed, run number, options.
    WithOptions(PyBackedStr, u64, u32, PyBackedStr),
    /// Resolved scenario, seed, run number.
    Plain(PyBackedStr, u64, u32),
}

impl Job {
    /// The scenario, the seed, the run number and the options.
    fn parts(&self) -> (&str, u64, u32, Option<&str>) {
        match self {
            Self::WithPolicies(resolved, seed, run, options, _) => {
                (resolved, *seed, *run, options.as_deref())
            }
            Self::WithOptions(resolved, seed, run, options) => {
                (resolved, *seed, *run, Some(options))
            }
            Self::Plain(resolved, seed, run) => (resolved, *seed, *run, None),
        }
    }

    fn policies(&self, stop: &Arc<AtomicBool>) -> Option<Arc<dyn Policies>> {
        match self {
            Self::WithPolicies(.., policies) => {
                let policies = Python::attach(|py| policies.clone_ref(py));
                Some(policy::handed(policies, Arc::clone(stop)))
            }
            Self::WithOptions(..) | Self::Plain(..) => None,
        }
    }
}

/// Threads that are at work on runs which ask policies in Python, by the numbers that Python gives them.
type Asking = Mutex<BTreeSet<u64>>;

/// Whether the last job has begun: then nobody waits for company any more.
#[derive(Default)]
struct LastCall {
    came: Mutex<bool>,
    changed: Condvar,
}

impl LastCall {
    fn comes(&self) {
        *self.came.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for so long, or until it comes.
    fn wait(&self, at_most: Duration) {
        let came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = (self.changed).wait_timeout_while(came, at_most, |came| !*came);
        drop(waited);
    }
}

/// What the threads of a batch share.
struct Work {
    jobs: Vec<Job>,
    scenarios: Scenarios,
    /// How many jobs have begun.
    taken: AtomicUsize,
    /// How many have finished and are not handed over.
    unfetched: AtomicUsize,
    /// With so many of those no further one begins.
    room: usize,
    last_call: LastCall,
    stop: Arc<AtomicBool>,
    asking: Asking,
}

impl Work {
    /// Does jobs until none is left.
    fn go_on(&self, sender: &Sender<(usize, String)>) {
        while !self.stop.load(Ordering::Relaxed) {
            if self.unfetched.load(Ordering::Relaxed) >= self.room {
                thread::sleep(PAUSE);
                continue;
            }
            let index = self.taken.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(index) else {
                return;
            };
            if index + 1 == self.jobs.len() {
                self.last_call.comes();
            }
            let outcome = self.outcome(index, job);
            self.unfetched.fetch_add(1, Ordering::Relaxed);
            // Nobody listens any more once the batch is dropped.
            if sender.send((index, outcome)).is_err() {
                return;
            }
        }
    }

    /// Does one job; whatever happens, there is a JSON text to hand over.
    fn outcome(&self, index: usize, job: &Job) -> String {
        let (resolved, seed, run, options) = job.parts();
        let policies = job.policies(&self.stop);
        let asks_python = policies.is_some();
        let read = || self.scenarios.read(index, resolved);
        let run_it =
            || guard::caught(|| engine::run(read, seed, run, options, policies, &self.stop));
        let outcome = if asks_python {
            // The thread's state in Python is made once for the run, not anew for each decision.
            Python::attach(|py| noted(py, &self.asking, run_it))
        } else {
            run_it()
        };
        outcome.unwrap_or_else(|failure| failed(&failure, seed, run))
    }
}

/// Jobs that run in threads: `wait` gathers results as they come, `next` hands them over.
#[pyclass(frozen, module = "acklab._native")]
pub(crate) struct Batch {
    finished: Mutex<Receiver<(usize, String)>>,
    gathered: Mutex<VecDeque<(usize, String)>>,
    remaining: AtomicUsize,
    work: Arc<Work>,
}

#[pymethods]
impl Batch {
    #[new]
    fn new(jobs: Vec<Job>, workers: usize) -> PyResult<Self> {
        if workers == 0 {
            return Err(PyValueError::new_err("a batch needs at least one worker"));
        }
        let remaining = AtomicUsize::new(jobs.len());
        let workers = workers.min(jobs.len());
        let work = Arc::new(Work {
            scenarios: Scenarios::of(jobs.iter().map(|job| job.parts().0)),
            jobs,
            taken: AtomicUsize::new(0),
            unfetched: AtomicUsize::new(0),
            room: ROOM + ROOM_EACH * workers,
            last_call: LastCall::default(),
            stop: Arc::default(),
            asking: Asking::default(),
        });
        let (sender, finished) = mpsc::channel();
        for number in 0..workers {
            let (work, sender) = (Arc::clone(&work), sender.clone());
            let started = thread::Builder::new()
                .name("acklab-run".to_owned())
                .stack_size(STACK)
                .spawn(move || work.go_on(&sender));
            match started {
                Ok(_) => {}
                // A system that has no room for more threads has the work done by those that there are.
                Err(_) if number > 0 => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self {
            finished: Mutex::new(finished),
            gathered: Mutex::default(),
            remaining,
            work,
        })
    }

    /// Waits for a job to finish, for so long at the most, and then a little for others, while there are jobs to
    /// begin; not at all if some that have finished are still to be fetched.
    fn wait(&self, py: Python<'_>, timeout_s: f64) {
        if self.remaining() == 0 || !self.gathered().is_empty() {
            return;
        }
        let timeout = Duration::try_from_secs_f64(timeout_s).unwrap_or(Duration::ZERO);
        py.detach(|| {
            let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            match finished.recv_timeout(timeout) {
                Ok(first) => {
                    self.work.last_call.wait(GATHERING);
                    let mut gathered = self.gathered();
                    gathered.push_back(first);
                    gathered.extend(finished.try_iter());
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Every thread has ended: what is not there now was cancelled.
                Err(RecvTimeoutError::Disconnected) => self.remaining.store(0, Ordering::Relaxed),
            }
        });
    }

    /// The next finished job as (index, JSON), or `None` when there is none: `wait` brings more.
    fn next(&self) -> Option<(usize, String)> {
        let next = self.gathered().pop_front()?;
        self.remaining.fetch_sub(1, Ordering::Relaxed);
        self.work.unfetched.fetch_sub(1, Ordering::Relaxed);
        Some(next)
    }

    /// How many jobs have not been handed over.
    fn remaining(&self) -> usize {
        self.remaining.load(Ordering::Relaxed)
    }

    /// Starts no further job and stops the running ones.
    fn cancel(&self) {
        self.work.stop.store(true, Ordering::Relaxed);
        self.work.last_call.comes();
    }

    /// The threads whose runs ask policies in Python, by the numbers that Python gives them.
    fn asking(&self) -> Vec<u64> {
        let asking = self
            .work
            .asking
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        asking.iter().copied().collect()
    }

    /// Waits for the threads to end, after `cancel`, for so long at the most without a word from any; what
    /// they have is thrown away. Returns whether they have: Python must not end while one of them asks it
    /// for something.
    fn ended(&self, py: Python<'_>, timeout_s: f64) -> bool {
        let timeout = Duration::try_from_secs_f64(timeout_s).unwrap_or(Duration::ZERO);
        py.detach(|| {
            let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                match finished.recv_timeout(timeout) {
                    Ok(_) => {}
                    Err(RecvTimeoutError::Timeout) => return false,
                    Err(RecvTimeoutError::Disconnected) => return true,
                }
            }
        })
    }
}

impl Batch {
    fn gathered(&self) -> MutexGuard<'_, VecDeque<(usize, String)>> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Runs without Python's lock, and lets it be known meanwhile that this thread asks for it now and then.
fn noted<T: Send>(py: Python<'_>, asking: &Asking, run_it: impl FnOnce() -> T + Send) -> T {
    let number = py
        .import("threading")
        .and_then(|threading| threading.call_method0("get_ident")?.extract::<u64>())
        .ok();
    let lock = || asking.lock().unwrap_or_else(PoisonError::into_inner);
    lock().extend(number);
    let outcome = py.detach(run_it);
    if let Some(number) = number {
        lock().remove(&number);
    }
    outcome
}

fn failed(failure: &Failure, seed: u64, run: u32) -> String {
    serde_json::json!({ "error": failure, "seed": seed, "run": run }).to_string()
}
