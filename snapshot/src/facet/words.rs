//! Words for common values of facets, for datasets without labels of their own: `data/value-words.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The words of each value, in the order of [`crate::record::Locale::ALL`].
pub static VALUE_WORDS: LazyLock<BTreeMap<&str, [&str; 2]>> = LazyLock::new(|| {
    let lines = include_str!("../../data/value-words.txt").lines().skip(1);
    let words = lines.filter_map(|line| {
        let [value, english, spanish] = line.split('|').collect::<Vec<_>>().try_into().ok()?;
        Some((value, [english, spanish]))
    });
    words.collect()
});
