//! Work on many items side by side, where the feature `parallel` is on.

/// What the function makes of each item, in the items' order.
#[cfg(feature = "parallel")]
pub(crate) fn each<T: Sync, U: Send>(items: &[T], make: impl Fn(&T) -> U + Send + Sync) -> Vec<U> {
    use rayon::prelude::*;
    items.par_iter().map(make).collect()
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn each<T, U>(items: &[T], make: impl Fn(&T) -> U) -> Vec<U> {
    items.iter().map(make).collect()
}
