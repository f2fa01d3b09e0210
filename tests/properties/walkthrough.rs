//! CONTRIBUTING.md shows files as they are.
