//! Names as they are compared, and as they become addresses.

use snapshot::search::fold;

/// Most bytes of a slug that is made.
const LONGEST_SLUG: usize = 200;

/// A slug from a name: folded words joined by hyphens.
pub fn slug_of(text: &str) -> String {
    let folded = fold(text);
    let groups = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|group| !group.is_empty());
    let mut slug = groups.collect::<Vec<_>>().join("-");
    slug.truncate(LONGEST_SLUG);
    slug.trim_end_matches('-').to_owned()
}

/// A name without case, accents, punctuation.
pub(crate) fn folded(name: &str) -> String {
    let folded = fold(name);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
