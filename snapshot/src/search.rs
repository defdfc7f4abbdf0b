//! Search: the index of all programs, opened from sections, and the answers to queries: which programs match, in
//! which order, and how many match each facet value.

mod build;
mod cognates;
mod cost;
mod count;
mod entities;
mod error;
mod facets;
mod filter_phrases;
mod grams;
mod guess;
mod impact;
mod index;
mod lexicon;
mod matching;
mod narrow;
mod phrase;
mod rank;
mod relax;
mod results;
mod role;
mod score;
mod seasons;
mod senses;
mod set;
mod synonyms;
mod table;
mod terms;
mod text_query;
mod tiers;
mod titles;
mod today;
mod values;

pub use self::build::{DocumentKey, IndexWriter, document_order};
pub use self::cognates::cognate_keys;
pub use self::entities::{NamedEntity, entity_dictionary, keys_of, label_runs, names_of_place};
pub use self::error::{IndexError, TooManyValues};
pub use self::facets::FACET_VALUES_MAX;
pub use self::filter_phrases::FilterPhrase;
pub use self::index::{FacetCounts, Index};
pub use self::lexicon::{
    is_everyday_word, is_known_word, language_of_stop_word, may_stand_apart, stop_words,
};
pub use self::rank::{Guess, Interpretation, OfferedPlaces, RankOptions, RankedPage, RankedRow};
pub use self::relax::{Constraint, Relaxation, as_typed, rest_in_words, text_without};
pub use self::results::SearchResult;
pub use self::role::{Reading, reading_of};
pub(crate) use self::seasons::{ColumnNames, SeasonColumnsWriter};
pub use self::seasons::{Observation, SeasonColumns};
pub use self::set::DocSet;
pub use self::synonyms::BUILT_IN;
pub use self::table::{Lists, ListsOf, ListsWriter, Strings, StringsWriter, check_len};
pub use self::text_query::{ResolvedText, TextQuery};
pub use self::tiers::Tier;
pub use self::titles::searchable_texts;
pub use self::today::{ProgramState, Today};
pub use self::values::Values;
pub use self::values::stated::{Document, StatedValues, StatedWriter};
