//! Not yet written.
pub(crate) mod sentence;
