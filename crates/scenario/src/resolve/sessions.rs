//! Short transfers: sizes and pauses, on top of a TCP connection.

use super::flow::Setting;
use super::{Filling, by, fixed, millis, tcp};
use crate::document_sessions::{PauseTable, SessionPause, SessionSize, SessionsFlow, SizeTable};
use crate::error::ScenarioError;
use crate::quantities::Size;
use crate::resolved::{PauseLaw, Sessions, SizeLaw, Source};

pub(super) fn sessions(
    filling: &mut Filling<'_>,
    key: &str,
    given: &SessionsFlow,
    setting: &Setting,
) -> Result<Sessions, ScenarioError> {
    let connection = tcp::ftp(filling, key, &given.connection, setting)?;
    let whole_packets = filling.pick(
        &format!("{key}.whole_packets"),
        given.whole_packets,
        by(
            connection.sender.profile,
            (true, "an agent counts in packets, and rounds up"),
            (false, "RFC 9293: a segment ends where the data ends"),
        ),
    );
    Ok(Sessions {
        connection,
        size: size(filling, &format!("{key}.size"), given.size.as_ref()),
        pause: pause(filling, &format!("{key}.pause"), given.pause.as_ref()),
        whole_packets,
    })
}

fn size(filling: &mut Filling<'_>, key: &str, given: Option<&SessionSize>) -> SizeLaw {
    let (law, mean, shape) = match given {
        Some(SessionSize::Constant(size)) => {
            filling.given(key);
            return SizeLaw::Constant(size.0);
        }
        Some(SessionSize::Drawn(SizeTable::Pareto { mean, shape })) => {
            (Some(()), mean.as_ref(), shape.as_ref())
        }
        None => (None, None, None),
    };
    let pareto = ((), law_source("altman2003 §4.1: Pareto"));
    filling.pick(&format!("{key}.law"), law, pareto);
    let mean = filling.pick(
        &format!("{key}.mean"),
        mean.copied(),
        fixed(Size(30_000), "altman2003 §4.1"),
    );
    let shape = filling.pick(
        &format!("{key}.shape"),
        shape.copied(),
        fixed(1.5, "altman2003 §4.1"),
    );
    SizeLaw::Pareto {
        mean: mean.0,
        shape,
    }
}

fn pause(filling: &mut Filling<'_>, key: &str, given: Option<&SessionPause>) -> PauseLaw {
    let (law, mean) = match given {
        Some(SessionPause::Constant(pause)) => {
            filling.given(key);
            return PauseLaw::Constant(pause.0);
        }
        Some(SessionPause::Drawn(PauseTable::Exponential { mean })) => (Some(()), mean.as_ref()),
        None => (None, None),
    };
    let exponential = ((), law_source("altman2003 §4.1: exponential"));
    filling.pick(&format!("{key}.law"), law, exponential);
    let mean = filling.pick(
        &format!("{key}.mean"),
        mean.copied(),
        fixed(millis(500), "altman2003 §4.1"),
    );
    PauseLaw::Exponential(mean.0)
}

fn law_source(why: &str) -> Source {
    Source::Default(why.to_owned())
}
