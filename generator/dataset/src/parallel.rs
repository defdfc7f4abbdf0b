//! Work side by side, on the threads of the pool that is current.
//!
//! The pool is called from one function without type parameters. Called with the type of every table's rows, its code was
//! half of what the compiler made of this package.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Rows that a thread takes at a time.
pub const SHARE: usize = 256;

/// What `make` makes of each item, in the order of the items. Threads take one item at a time, so small ones belong
/// together in a share.
pub fn map<T: Send, R: Send>(items: impl IntoIterator<Item = T>, make: impl Fn(T) -> R + Sync) -> Vec<R> {
    let slots: Vec<Mutex<(Option<T>, Option<R>)>> =
        items.into_iter().map(|item| Mutex::new((Some(item), None))).collect();
    each(slots.len(), &|at| {
        let item = slots[at].lock().unwrap_or_else(PoisonError::into_inner).0.take();
        let made = item.map(&make);
        slots[at].lock().unwrap_or_else(PoisonError::into_inner).1 = made;
    });
    let made = slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner).1);
    made.flatten().collect()
}

/// What `make` makes of each row, which may be nothing or several, in the order of the rows.
pub fn flat_map<T: Sync, R: Send, I: IntoIterator<Item = R>>(
    rows: &[T],
    make: impl Fn(&T) -> I + Sync,
) -> Vec<R> {
    let shares = map(rows.chunks(SHARE), |share| share.iter().flat_map(&make).collect::<Vec<R>>());
    shares.into_iter().flatten().collect()
}

/// As [`flat_map`], of rows that `make` may change.
pub(crate) fn flat_map_mut<T: Send, R: Send, I: IntoIterator<Item = R>>(
    rows: &mut [T],
    make: impl Fn(&mut T) -> I + Sync,
) -> Vec<R> {
    let shares = map(rows.chunks_mut(SHARE), |share| share.iter_mut().flat_map(&make).collect::<Vec<R>>());
    shares.into_iter().flatten().collect()
}

fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(work);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_rows() {
        let mut rows: Vec<usize> = (0..SHARE * 3 + 1).collect();
        let even: Vec<usize> = rows.iter().copied().filter(|row| row % 2 == 0).collect();
        assert_eq!(flat_map(&rows, |row| (row % 2 == 0).then_some(*row)), even);
        let found = flat_map_mut(&mut rows, |row| [std::mem::replace(row, 0)]);
        assert!(found.into_iter().eq(0..SHARE * 3 + 1) && rows.iter().all(|row| *row == 0));
    }
}
