//! Search: the index of all programs, opened from sections, and the answers to queries: which programs match, in
//! which order, and how many match each facet value.

mod build;
mod cost;
mod count;
mod entities;
mod facets;
mod filter_phrases;
mod grams;
mod guess;
mod index;
mod lexicon;
mod matching;
mod narrow;
mod phrase;
mod rank;
mod relax;
mod results;
mod score;
mod seasons;
mod set;
mod synonyms;
mod table;
mod terms;
mod tiers;
mod titles;
mod today;
mod values;

pub use self::build::{document_order, write_index};
pub use self::entities::{NamedEntity, entity_dictionary, keys_of, names_of_place};
pub use self::facets::FACET_VALUES_MAX;
pub use self::filter_phrases::{FilterPhrase, extract};
pub use self::index::{FacetCounts, Index};
pub use self::lexicon::{is_known_word, stop_words};
pub use self::matching::{ResolvedText, TextQuery};
pub use self::rank::{Guess, Interpretation, RankOptions, RankedPage, RankedRow};
pub use self::relax::{Constraint, Relaxation, text_without};
pub use self::results::SearchResult;
pub use self::seasons::{ColumnNames, Observation, SeasonColumns};
pub use self::set::DocSet;
pub use self::synonyms::BUILT_IN;
pub use self::table::{Lists, Strings, StringsWriter, check_len};
pub use self::tiers::Tier;
pub use self::titles::searchable_texts;
pub use self::today::{ProgramState, Today};
pub use self::values::{Values, write::Document, write::TooManyValues};
