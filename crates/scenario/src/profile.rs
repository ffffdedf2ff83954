//! Profiles: families of rules and defaults, the names they are given by, and what is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of a family of rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ProfileName {
    /// As ns-2.35 behaves: the simulator of the five papers.
    Ns2,
    /// The same by its full name.
    #[serde(rename = "ns2-2.35")]
    Ns2At235,
    /// As ns-2.1b9 of April 2002 behaves, the version of altman2003, as far as it is known.
    #[serde(rename = "ns2-2.1b9")]
    Ns2At21b9,
    /// As the standards say: IEEE 802.11b, the RFCs of TCP, RFC 3561.
    Standard,
}

/// A family of rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Profile {
    /// As ns-2.35 behaves.
    #[default]
    Ns2,
    /// As ns-2.1b9 behaves.
    Ns2At21b9,
    /// As the standards say.
    Standard,
}

impl Profile {
    /// Every profile, ns-2.35 first.
    pub(crate) const ALL: [Self; 3] = [Self::Ns2, Self::Ns2At21b9, Self::Standard];
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Ns2 | ProfileName::Ns2At235 => Self::Ns2,
            ProfileName::Ns2At21b9 => Self::Ns2At21b9,
            ProfileName::Standard => Self::Standard,
        }
    }
}

impl From<Profile> for ProfileName {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Ns2 => Self::Ns2,
            Profile::Ns2At21b9 => Self::Ns2At21b9,
            Profile::Standard => Self::Standard,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ns2 => "ns2",
            Self::Ns2At21b9 => "ns2-2.1b9",
            Self::Standard => "standard",
        })
    }
}
