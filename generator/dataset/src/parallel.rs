//! Work over many rows, on all cores. Closures are called through pointers, so that the library that distributes the
//! work is compiled once, not once for each table and rule.

use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

/// Items of a part of the work.
const PART: usize = 256;

fn run(count: usize, part: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(part);
}

/// Does two things at once.
pub(crate) fn both(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    rayon::join(one, other);
}

/// What a function makes of the numbers below `count`, in order.
pub(crate) fn numbers<R: Send + Sync>(count: usize, of: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let results: Vec<OnceLock<R>> = (0..count).map(|_| OnceLock::new()).collect();
    // Each number comes once, so that no result is there before.
    run(count, &|at| drop(results[at].set(of(at))));
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// What a function makes of each item, in order.
pub(crate) fn flat_map<'a, T: Sync, I: IntoIterator<Item: Send + Sync>>(
    items: &'a [T],
    of: impl Fn(&'a T) -> I + Sync,
) -> Vec<I::Item> {
    let part = |at: usize| items[at * PART..].iter().take(PART).flat_map(&of).collect::<Vec<_>>();
    numbers(items.len().div_ceil(PART), &part).into_iter().flatten().collect()
}

/// The same for items that the function may change.
pub(crate) fn flat_map_mut<T: Send, I: IntoIterator<Item: Send + Sync>>(
    items: &mut [T],
    of: impl Fn(&mut T) -> I + Sync,
) -> Vec<I::Item> {
    let parts: Vec<Mutex<&mut [T]>> = items.chunks_mut(PART).map(Mutex::new).collect();
    let part = |at: usize| {
        let mut items = parts[at].lock().unwrap_or_else(PoisonError::into_inner);
        items.iter_mut().flat_map(&of).collect::<Vec<_>>()
    };
    numbers(parts.len(), &part).into_iter().flatten().collect()
}

/// Changes each item.
pub(crate) fn for_each_mut<T: Send>(items: &mut [T], each: impl Fn(&mut T) + Sync) {
    flat_map_mut(items, |item| {
        each(item);
        None::<()>
    });
}

/// Sorts items by keys of one type, in place: a table may fill half of the memory.
pub(crate) fn sort_by_key<T, K: Ord + Send>(items: &mut [T], key: impl Fn(&T) -> K) {
    let mut keys: Vec<(K, u32)> = items.iter().map(&key).zip(0..).collect();
    keys.par_sort_unstable();
    let mut sources: Vec<u32> = keys.into_iter().map(|(_, at)| at).collect();
    for start in 0..items.len() {
        let mut at = start;
        loop {
            let source = std::mem::replace(&mut sources[at], at as u32) as usize;
            if source == start {
                break;
            }
            items.swap(at, source);
            at = source;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_every_item_once() {
        for count in [0, 1, PART, 3 * PART + 7] {
            let mut items: Vec<usize> = (0..count).collect();
            let odd = |item: usize| (item % 2 == 1).then_some(item);
            let expected: Vec<usize> = (0..count).filter_map(odd).collect();
            assert_eq!(flat_map(&items, |item| odd(*item)), expected);
            assert_eq!(flat_map_mut(&mut items, |item| odd(*item)), expected);
            for_each_mut(&mut items, |item| *item += 1);
            assert_eq!(items, numbers(count, &|number| number + 1));
        }
    }

    #[test]
    fn items_are_sorted_by_key_and_equal_ones_keep_their_order() {
        for count in [0usize, 1, 2, 5, 1000] {
            let items: Vec<(usize, usize)> = (0..count).map(|at| (at * 7919 % 101, at)).collect();
            let (mut sorted, mut expected) = (items.clone(), items);
            sort_by_key(&mut sorted, |item| item.0);
            expected.sort_by_key(|item| item.0);
            assert_eq!(sorted, expected);
        }
    }
}
