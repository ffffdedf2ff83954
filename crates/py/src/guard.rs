//! Turns a panic inside a run into that run's failure.
//!
//! A panic is a fault of ours; it must neither end the process nor the other runs, and its message
//! must reach the user in one piece rather than in the middle of a progress bar. The one
//! invariant: panics outside a guarded call are reported as if this module did not exist.

use crate::border::Failure;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// `Some` while a guarded call runs on this thread; holds what a panic in it said.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The panic of something that a user handed over: its message is all there is to say.
pub(crate) struct Fault(pub(crate) String);

/// Sends the messages of guarded calls to [`caught`] instead of standard error.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let other = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let guarded = SAID.with_borrow_mut(|said| match said {
                Some(text) => {
                    *text = describe(info);
                    true
                }
                None => false,
            });
            if !guarded {
                other(info);
            }
        }));
    });
}

/// Calls `work`; a panic in it becomes a failure that says what and where.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    SAID.set(Some(String::new()));
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    let said = SAID.take().unwrap_or_default();
    outcome.unwrap_or_else(|_| Err(Failure::panic(said)))
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    if let Some(Fault(said)) = payload.downcast_ref() {
        return said.clone();
    }
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    match info.location() {
        Some(place) => format!("{message} ({}:{})", place.file(), place.line()),
        None => message.to_owned(),
    }
}
