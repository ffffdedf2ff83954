//! Byte-exact vectors.
