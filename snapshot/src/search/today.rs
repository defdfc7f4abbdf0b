//! What depends on the day, for all programs: open states, next deadlines, the default order. Computed when an index
//! is opened and again at every UTC midnight, in the background.

use std::sync::Arc;

use crate::facet::Facet;
use crate::record::Lifecycle;
use crate::search::index::{FacetCounts, Index, Order};
use crate::search::seasons::{Observation, Seasons};
use crate::search::set::{DocSet, WORD, bits_of, count_common, count_ones};
use crate::time::{Day, DisplayStatus, OPEN_STATES, Openness};

/// The state of a program on a day.
#[derive(Clone, Copy, Debug)]
pub struct ProgramState {
    /// The status that is displayed.
    pub standing: DisplayStatus,
    /// What follows from its dates.
    pub openness: Openness,
    /// What was observed.
    pub observed: Observation,
}

impl ProgramState {
    /// How the status and the dates conflict with what was observed: the key of a phrase.
    pub fn differs(&self) -> Option<&'static str> {
        let Observation { lifecycle, on, .. } = self.observed;
        let is_opened_later = on != Day::NONE && self.openness.last_opening > on;
        let is_early = lifecycle == Lifecycle::ActiveAccepting && self.standing.is_open() && is_opened_later;
        if is_early { Some("by_dates_opened") } else { self.standing.differs(lifecycle) }
    }
}

const STATES: usize = OPEN_STATES.len();

/// The state of all programs on a day. Tables by open state are in the order of [`OPEN_STATES`].
pub struct Today {
    /// The day.
    pub day: Day,
    /// Next deadline of each document, or [`Day::NONE`].
    pub next_deadline: Vec<Day>,
    /// The default order.
    pub order: Order<Vec<u32>>,
    /// The same with names in Spanish.
    pub(super) order_es: Order<Vec<u32>>,
    /// Open states of each document, bits as in [`Openness::states`]; then one for those that people read are open.
    states: Vec<u8>,
    /// Documents of each of these.
    of_state: [Vec<u64>; STATES + 1],
    /// Of each ordinal the number of its documents that have each of these.
    pairs: Vec<[u32; STATES + 1]>,
    /// Documents that the `rolling` filter keeps.
    pub(super) rolling: Vec<u64>,
    /// Documents that the `open` filter keeps.
    pub(super) open: Vec<u64>,
    /// Those of them whose round may be over, or was last checked long ago.
    pub(super) doubtful: Vec<u64>,
    /// Ordinal of each open state.
    ordinals: [u32; STATES],
    /// Least and greatest next deadline of every 64 documents.
    zones: Vec<(Day, Day)>,
    seasons: Arc<Seasons>,
    /// All facets over all documents.
    pub(super) browse: Vec<FacetCounts>,
}

impl Today {
    /// The state of a day without the facets, about 100 ns a document.
    pub(super) fn new(index: &Index, day: Day) -> Self {
        let count = index.programs();
        let openness: Vec<Openness> = (0..count).map(|doc| index.seasons.openness(doc, day)).collect();
        let is_doubtful = |doc: usize| openness[doc].is_unconfirmed(index.seasons.observed(doc).checked, day);
        let bits = |keep: &dyn Fn(usize, &Openness) -> bool| {
            let kept = openness.iter().enumerate().filter(|(doc, openness)| keep(*doc, openness));
            bits_of(kept.map(|(doc, _)| doc as u32), count)
        };
        let state = |(doc, openness): (usize, &Openness)| {
            openness.states | u8::from(openness.is_open() && !is_doubtful(doc)) << STATES
        };
        let states: Vec<u8> = openness.iter().enumerate().map(state).collect();
        let next_deadline: Vec<Day> = openness.iter().map(|openness| openness.next_deadline).collect();
        let ordinals =
            OPEN_STATES.map(|state| index.values.find(Facet::OpenStates, state).unwrap_or(u32::MAX));
        let mut today = Self {
            day,
            order: default_order(&openness, &index.by_name[0].rank),
            order_es: default_order(&openness, &index.by_name[1].rank),
            of_state: std::array::from_fn(|state| bits(&|doc, _| states[doc] >> state & 1 == 1)),
            pairs: Vec::new(),
            rolling: bits(&|_, openness| openness.rolling),
            open: bits(&|_, openness| openness.is_open()),
            doubtful: bits(&|doc, _| is_doubtful(doc)),
            zones: zones(&next_deadline),
            next_deadline,
            ordinals,
            seasons: Arc::clone(&index.seasons),
            states,
            browse: Vec::new(),
        };
        let docs = |ordinal| today.docs(ordinal).map_or_else(|| index.values.docs(ordinal), DocSet::bits);
        let pairs = (0..index.values.ordinals() as u32).map(|ordinal| today.by_state(&docs(ordinal)));
        today.pairs = pairs.collect();
        today
    }

    /// Open states of a document, as bits in the order of [`OPEN_STATES`]; above these, whether people read that it is open.
    pub fn states(&self, doc: u32) -> u8 {
        self.states.get(doc as usize).copied().unwrap_or_default()
    }

    /// The state of a document; `None` if there is no such document.
    pub fn state(&self, doc: u32) -> Option<ProgramState> {
        self.state_on(doc, self.day)
    }

    /// The state of a document on another day.
    pub fn state_on(&self, doc: u32, day: Day) -> Option<ProgramState> {
        let doc = doc as usize;
        (doc < self.states.len()).then(|| {
            let (openness, observed) = (self.seasons.openness(doc, day), self.seasons.observed(doc));
            ProgramState { standing: openness.standing(observed.checked, day), openness, observed }
        })
    }

    /// Days on which a document's seasons may change their status.
    pub fn turning_days(&self, doc: u32) -> impl Iterator<Item = Day> {
        let known = Some(doc as usize).filter(|doc| *doc < self.states.len());
        known.into_iter().flat_map(|doc| self.seasons.of(doc)).flat_map(|season| season.turning_days())
    }

    /// What the next deadline of a document follows from on any day, as text.
    pub(crate) fn inputs(&self, doc: u32) -> String {
        let Some(doc) = Some(doc as usize).filter(|doc| *doc < self.states.len()) else {
            return String::new();
        };
        let mut seasons: Vec<String> = self.seasons.of(doc).map(|season| season.inputs()).collect();
        // The order of seasons in the dataset decides nothing.
        seasons.sort_unstable();
        format!("{}{}", self.seasons.observed(doc).lifecycle.as_str(), seasons.concat())
    }

    /// Documents of an open state, by its ordinal.
    pub(super) fn docs(&self, ordinal: u32) -> Option<&[u64]> {
        let state = self.ordinals.iter().position(|known| *known == ordinal)?;
        Some(&self.of_state[state])
    }

    /// Number of documents that an open state, by its ordinal, shares with each ordinal.
    pub(super) fn pairs(&self, ordinal: u32) -> Option<impl Iterator<Item = u32>> {
        let state = self.ordinals.iter().position(|known| *known == ordinal)?;
        Some(self.pairs.iter().map(move |pairs| pairs[state]))
    }

    /// Number of documents of a set that have each state.
    fn by_state(&self, docs: &DocSet<'_>) -> [u32; STATES + 1] {
        match docs {
            DocSet::Bits(bits) => self.of_state.each_ref().map(|state| count_common(state, bits) as u32),
            DocSet::List(list) => {
                let mut counts = [0; STATES + 1];
                for states in list.iter().map(|doc| self.states(*doc)) {
                    let bits = (0..).map(|state| u32::from(states >> state & 1));
                    counts.iter_mut().zip(bits).for_each(|(count, bit)| *count += bit);
                }
                counts
            }
        }
    }

    /// Sets the counts of the open states.
    fn fill(&self, counts: &mut [u32], of_states: [u32; STATES + 1]) {
        for (ordinal, count) in self.ordinals.iter().zip(of_states) {
            if let Some(slot) = counts.get_mut(*ordinal as usize) {
                *slot = count;
            }
        }
    }

    /// Sets the counts of the open states to those of the documents of a value.
    pub(super) fn count_pairs(&self, value: u32, counts: &mut [u32]) {
        self.fill(counts, self.pairs[value as usize]);
    }

    /// Sets the counts of the open states to those of all documents.
    pub(super) fn totals(&self, counts: &mut [u32]) {
        self.fill(counts, self.of_state.each_ref().map(|docs| count_ones(docs) as u32));
    }

    /// Sets the counts of the open states to those of some documents.
    pub(super) fn count(&self, docs: &DocSet<'_>, counts: &mut [u32]) {
        self.fill(counts, self.by_state(docs));
    }

    /// Documents whose next deadline lies in a range that may be open at either end. Documents are numbered by
    /// their deadline on the day of the build, so that mostly all or none of 64 are in it.
    pub(super) fn due(&self, from: Option<Day>, to: Option<Day>) -> Vec<u64> {
        let (from, to) = (from.unwrap_or(Day(i32::MIN + 1)), to.unwrap_or(Day(i32::MAX)));
        let words = self.next_deadline.chunks(WORD).zip(&self.zones).map(|(deadlines, (least, most))| {
            if *most < from || *least > to {
                return 0;
            }
            if from <= *least && *most <= to {
                return u64::MAX >> (WORD - deadlines.len());
            }
            let bits = deadlines.iter().map(|deadline| u64::from(from <= *deadline && *deadline <= to));
            bits.rev().fold(0, |word, bit| word << 1 | bit)
        });
        words.collect()
    }

    /// Whether a document's next deadline lies in a range.
    pub fn is_due(&self, doc: u32, from: Option<Day>, to: Option<Day>) -> bool {
        let deadline = self.next_deadline.get(doc as usize).copied().unwrap_or(Day::NONE);
        deadline != Day::NONE
            && from.is_none_or(|from| from <= deadline)
            && to.is_none_or(|to| deadline <= to)
    }

    /// Number of open documents, without those whose round may be over or was last checked long ago.
    pub fn open_count(&self) -> u32 {
        count_ones(&self.of_state[STATES]) as u32
    }

    /// The same of those that have a facet value.
    pub fn open_with(&self, ordinal: u32) -> u32 {
        self.pairs.get(ordinal as usize).map_or(0, |pairs| pairs[STATES])
    }
}

/// By next deadline; without one by openness; then by name and id, which the name rank contains.
fn default_order(openness: &[Openness], name_rank: &[u32]) -> Order<Vec<u32>> {
    let key = |doc: usize| {
        let openness = &openness[doc];
        let deadline = openness.next_deadline.known().map_or(i64::MAX, |day| i64::from(day.0));
        (deadline, if openness.next_deadline == Day::NONE { openness.rank() } else { 0 }, name_rank[doc])
    };
    let mut keys: Vec<_> = (0..openness.len()).map(|doc| (key(doc), doc as u32)).collect();
    keys.sort_unstable();
    Order::new(keys.into_iter().map(|(_, doc)| doc).collect())
}

fn zones(deadlines: &[Day]) -> Vec<(Day, Day)> {
    let zone = |part: &[Day]| {
        let (least, most) = (part.iter().min(), part.iter().max());
        (least.copied().unwrap_or(Day::NONE), most.copied().unwrap_or(Day::NONE))
    };
    deadlines.chunks(WORD).map(zone).collect()
}
