//! Conversions only.
