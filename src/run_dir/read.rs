//! Reading a run directory.
