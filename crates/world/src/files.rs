//! The files that a run writes besides its result.
//!
//! Each is written beside its place and gets its name when all are whole, so that no reader ever sees
//! half a file. The one invariant: a run that is stopped, or one of whose files cannot be written,
//! leaves what stood there as it was, and nothing else behind.

use crate::{RunError, RunOptions};
use acklab_base::NodeId;
use acklab_trace::Recorder;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes what was asked for; `false` if it was stopped before all was written.
pub(crate) fn write(
    recorder: &Recorder,
    options: &RunOptions,
    stop: Option<&AtomicBool>,
) -> Result<bool, RunError> {
    match write_all(recorder, options, stop) {
        Err(_) if is_set(stop) => Ok(false),
        written => written.map(|()| true),
    }
}

fn write_all(
    recorder: &Recorder,
    options: &RunOptions,
    stop: Option<&AtomicBool>,
) -> Result<(), RunError> {
    let mut parts = Vec::new();
    if let Some(path) = &options.pcap {
        parts.extend(write_one(path, stop, |out| recorder.write_pcapng(out))?);
    }
    if let Some((node, path)) = &options.ip_pcap {
        let node = NodeId(*node);
        parts.extend(write_one(path, stop, |out| {
            recorder.write_ip_pcap(node, out)
        })?);
    }
    if let Some(path) = &options.events {
        parts.extend(write_one(path, stop, |out| recorder.write_events(out))?);
    }
    parts.into_iter().try_for_each(Part::put_in_place)
}

fn is_set(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

fn failed(path: &Path, error: io::Error) -> RunError {
    let path = path.to_owned();
    RunError::File { path, error }
}

/// Writes a file beside its place; into a pipe or a device, which must stay what it is, straight.
fn write_one(
    path: &Path,
    stop: Option<&AtomicBool>,
    write: impl FnOnce(&mut BufWriter<Stoppable<'_>>) -> io::Result<()>,
) -> Result<Option<Part>, RunError> {
    let whole = |file| {
        let mut out = BufWriter::new(Stoppable { file, stop });
        write(&mut out)?;
        out.flush()?;
        Ok(out)
    };
    if is_no_plain_file(path) {
        let file = File::options().write(true).open(path);
        file.and_then(whole).map_err(|error| failed(path, error))?;
        return Ok(None);
    }
    let (part, file) = Part::beside(path).map_err(|error| failed(path, error))?;
    // Forced to disk, so that the new name cannot outrun what it names.
    let out = whole(file).and_then(|out| out.get_ref().file.sync_all());
    out.map_err(|error| failed(path, error))?;
    Ok(Some(part))
}

/// Whether something is there that is neither a file nor a folder.
fn is_no_plain_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// A file that takes no more once the run is stopped.
struct Stoppable<'a> {
    file: File,
    stop: Option<&'a AtomicBool>,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if is_set(self.stop) {
            return Err(io::Error::other("the run was stopped"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file beside the place where it will be; it goes away if it does not get there.
struct Part {
    name: PathBuf,
    place: PathBuf,
    is_there: bool,
}

impl Part {
    /// One that nobody else has: hidden, and of a name that was free.
    fn beside(path: &Path) -> io::Result<(Self, File)> {
        // What a link leads to is replaced, not the link.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut number = 0_u32;
        loop {
            let mut name = OsString::from(".");
            name.push(place.file_name().unwrap_or_default());
            name.push(format!(".{number}.part"));
            let name = place.with_file_name(name);
            match File::create_new(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => {
                    let part = |file| {
                        (
                            Self {
                                name,
                                place,
                                is_there: false,
                            },
                            file,
                        )
                    };
                    return made.map(part);
                }
            }
        }
    }

    fn put_in_place(mut self) -> Result<(), RunError> {
        let renamed = std::fs::rename(&self.name, &self.place);
        self.is_there = renamed.is_ok();
        renamed.map_err(|error| failed(&self.place, error))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.is_there {
            // It is of no use to anyone; what went wrong before is the error to tell.
            let _ = std::fs::remove_file(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_trace::RecorderConfig;

    /// A folder in which two files stand, and options that replace both.
    fn folder(name: &str) -> (PathBuf, RunOptions) {
        let folder = std::env::temp_dir().join(format!("acklab-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = |name: &str| {
            let path = folder.join(name);
            std::fs::write(&path, "mine").expect("a file");
            Some(path)
        };
        let options = RunOptions {
            pcap: file("a.pcapng"),
            events: file("a.jsonl"),
            ..RunOptions::default()
        };
        (folder, options)
    }

    /// Nothing but both files is there, and they hold what they held.
    fn assert_untouched(folder: &Path) {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let paths: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        assert_eq!(paths.len(), 2, "{paths:?}");
        for path in paths {
            let text = std::fs::read(&path).expect("a file");
            assert_eq!(text, b"mine", "{}", path.display());
        }
        std::fs::remove_dir_all(folder).expect("it was made here");
    }

    fn recorder() -> Recorder {
        Recorder::new(RecorderConfig::new(2, vec![]))
    }

    /// A part of a file was left behind for ever, hidden and as large as the run was long.
    #[test]
    fn a_run_that_is_stopped_as_it_writes_leaves_nothing() {
        let (folder, options) = folder("stopped");
        let stop = AtomicBool::new(true);
        let written = write(&recorder(), &options, Some(&stop));
        assert!(written.is_ok_and(|all| !all));
        assert_untouched(&folder);
    }

    /// The first file was replaced when the second could not be written.
    #[test]
    fn all_files_are_written_or_none() {
        let (folder, mut options) = folder("all");
        options.ip_pcap = Some((0, folder.join("nowhere").join("b.pcap")));
        let written = write(&recorder(), &options, None);
        assert!(matches!(written, Err(RunError::File { .. })));
        assert_untouched(&folder);
    }
}
