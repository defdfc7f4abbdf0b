//! Search: the index of all programs, opened from sections, and the answers to queries: which programs match, in
//! which order, and how many match each facet value.
//!
//! How a question becomes an order; `cargo run --release --bin judge -- --explain "fire truck Pennsylvania"` in
//! `tests/instruments` prints it for one.
//!
//! **From a text to parts.**
//!
//! 1. `filter_phrases` takes out words that are a filter: `open now`, `over $50,000`, `closes in March`. Ages are taken out
//!    and offered, as few records state them. A filter that was picked wins.
//! 2. `text_query` splits the rest: words, `"phrases"` and `-exclusions`. Function words (`of`, `para`) are left out; so are,
//!    in pages and tools, carrier words (`need`, `busco`), unless the text has nothing else (`data/words.txt`).
//! 3. The longest run of words that names something is one clause (`matching`): a place or a value of a facet (`entities`), a
//!    synonym (`synonyms`), words written together. A place is anything that names it, and a city is what is around it or
//!    names the city; what each facet of places finds is counted (`rank/reading`).
//! 4. A record matches a clause by an inflection of the word (`crate::stem`), a synonym, or the value; by none of very many
//!    values (`values`). A word that no record has may be a slip: `guess` finds near ones, at most two a question.
//!
//! REST stops here: it returns the records that match every clause, in the order of `sort`.
//!
//! **From parts to an order.** The weight of a part is `ln(1 + (N − n + ½) / (n + ½)) ^ 0.7` for `n` of `N` records that match
//! it; places count 1.5 times that. A word that no record has counts as one with `n = 0`. Selected values
//! are required; on a search page that finds fewer than three records with them they are parts that count 0.3, and rows of
//! the last line may lack them. `tiers` grades rows; the rows of a line of this table stand above those of the next.
//!
//! | grade | what the record has |
//! |---|---|
//! | name | everything, and the question is its name |
//! | all | everything |
//! | more | everything, but it may pay more than the bound |
//! | wider | everything, the place by a region around it |
//! | guess | everything, some of it by a guess |
//! | unstated, most, some | all but values, places or amounts on which it is silent; at least half of the weight; less |
//!
//! The grades of the last line are labels: the score orders them together. Of these, records that state another place or
//! amount than the question stand below all others; where known words have less than a tenth of the weight, there are none.
//!
//! Inside a line the score decides (`score`, BM25F). A part may score without a match: one word of several, or a region
//! around the place; only matches count for the grade. For each part
//!
//! ```text
//! f     = Σ occurrences × field × form      field: name most, then alias, summary, organization, description, fact (impact)
//!                                           form: typed 1, synonym 0.6, guess 0.4; the value adds 1.5 to f, a region around 0.75
//! score = Σ weight × 2.2 f / (f + 1.2)       long fields count less
//!       + W × (weight of parts in the name / W)²    "for the name"; W: weight of all parts but selected values
//! ```
//!
//! and equal scores stand in the default order: open and due first.
//!
//! **Where nothing comes close.** If no row has half of the weight, `relax` gives two or three words that records have together,
//! the heaviest first, each with its count and best record; then each part by itself. For short questions it leaves out each
//! part in turn instead.
//!
//! **Limits.** `cost` prices a question before it runs; of each grade at most 1,000 records are scored. `grams` keeps phrases of
//! common words cheap. Totals are always exact.

mod build;
mod coordination;
mod cost;
mod entities;
mod facets;
mod filter_phrases;
mod grams;
mod grams_writer;
mod index;
mod lexicon;
mod matching;
mod narrow;
mod organizations;
mod phrase;
mod rank;
mod relax;
mod results;
mod score;
mod seasons;
mod seats;
mod set;
mod spelling;
mod synonyms;
mod table;
mod terms;
mod terms_writer;
mod text_query;
mod tiers;
mod titles;
mod today;
mod values;
mod weights;

pub use self::build::{document_order, write_index};
pub use self::entities::label_runs;
pub use self::facets::FACET_VALUES_MAX;
pub use self::filter_phrases::FilterPhrase;
pub use self::index::{FacetCounts, Index};
pub use self::lexicon::{language_of_stop_word, stop_words};
pub use self::organizations::Organizations;
pub use self::rank::{Guess, Interpretation, OfferedPlaces, RankOptions, RankedPage, RankedRow};
pub use self::relax::{Constraint, Relaxation, as_typed, rest_in_words, text_without};
pub use self::results::SearchResult;
pub use self::seasons::Observation;
pub(crate) use self::seasons::{ObservationRow, SeasonRow};
pub use self::set::DocSet;
pub use self::synonyms::BUILT_IN;
pub(crate) use self::table::{Lists, Pair, check_below};
pub use self::table::{ListsWriter, Strings, StringsWriter, column};
pub use self::text_query::TextQuery;
pub use self::tiers::Tier;
pub use self::titles::searchable_texts;
pub use self::today::{ProgramState, Today};
pub use self::values::write::TooManyValues;
