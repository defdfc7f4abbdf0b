//! What depends on the day, for every program at once: open states, next deadlines, the default
//! order. Built when an index is opened and again at every UTC midnight, beside the running state.

use std::sync::Arc;

use crate::facet::Facet;
use crate::record::Lifecycle;
use crate::search::seasons::{ColumnNames, SeasonColumns};
use crate::search::set::{DocSet, WORD, count_common, count_ones, has_bit, set_bit, words};
use crate::search::values::Values;
use crate::search::{FacetCounts, Index, Order};
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};
use crate::time::{Day, DisplayStatus, OPEN_STATES, Openness, Season};

const SEASONS: ColumnNames = ["season.opens", "season.deadline", "season.starts", "season.stated"];

/// Seasons and lifecycles of all documents, as columns.
///
/// ```text
/// season.at                        u64: first season of each document, and the end
/// season.opens .deadline .starts   Day of each season
/// season.stated                    u8: position in CycleStatus::ALL, or 255
/// doc.lifecycle                    u8 of each document: position in Lifecycle::ALL
/// doc.observed                     Day of each document: when its lifecycle was observed
/// doc.checked                      Day of each document: when anything of it was last checked
/// ```
pub struct Seasons {
    at: Section<u64>,
    columns: SeasonColumns,
    lifecycle: Section<u8>,
    observed: Section<Day>,
    checked: Section<Day>,
}

/// What is known about a document besides its seasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// When that was observed, or [`Day::NONE`].
    pub on: Day,
    /// When anything of it was last checked, or [`Day::NONE`].
    pub checked: Day,
}

impl Seasons {
    /// Writes the columns: what was observed of each document and its seasons, in document order.
    pub fn write(documents: &[(Observation, Vec<Season>)], writer: &mut SectionWriter) {
        let seasons: Vec<Season> = documents.iter().flat_map(|(_, seasons)| seasons).copied().collect();
        let observed = || documents.iter().map(|(observed, _)| *observed);
        let mut at = vec![0u64];
        at.extend(documents.iter().scan(0, |end, (_, seasons)| {
            *end += seasons.len() as u64;
            Some(*end)
        }));
        writer.put("season.at", at);
        SeasonColumns::write(SEASONS, &seasons, writer);
        writer.put("doc.lifecycle", observed().map(|it| it.lifecycle as u8).collect::<Vec<_>>());
        writer.put("doc.observed", observed().map(|it| it.on).collect::<Vec<_>>());
        writer.put("doc.checked", observed().map(|it| it.checked).collect::<Vec<_>>());
    }

    /// Opens the columns of `count` documents.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        use crate::search::table::{check_len, check_offsets};
        let seasons = Self {
            at: sections.get("season.at")?,
            columns: SeasonColumns::open(sections, SEASONS)?,
            lifecycle: sections.get("doc.lifecycle")?,
            observed: sections.get("doc.observed")?,
            checked: sections.get("doc.checked")?,
        };
        check_len("season.at", &seasons.at, count + 1)?;
        check_offsets("season.at", &seasons.at, seasons.columns.len())?;
        check_len("doc.lifecycle", &seasons.lifecycle, count)?;
        check_len("doc.observed", &seasons.observed, count)?;
        check_len("doc.checked", &seasons.checked, count)?;
        Ok(seasons)
    }

    fn of(&self, doc: usize) -> std::ops::Range<usize> {
        self.at[doc] as usize..self.at[doc + 1] as usize
    }

    /// Openness of a document on a day.
    #[must_use]
    pub fn openness(&self, doc: usize, today: Day) -> Openness {
        let seasons = self.of(doc).map(|position| self.columns.get(position));
        Openness::new(self.observed(doc).lifecycle, seasons, today)
    }

    fn observed(&self, doc: usize) -> Observation {
        let lifecycle = Lifecycle::ALL.get(usize::from(self.lifecycle[doc])).copied();
        Observation {
            lifecycle: lifecycle.unwrap_or(Lifecycle::Unclear),
            on: self.observed[doc],
            checked: self.checked[doc],
        }
    }
}

/// What people are told about a document on a day, and what it follows from.
#[derive(Clone, Copy, Debug)]
pub struct ProgramState {
    /// Where it stands.
    pub standing: DisplayStatus,
    /// What its dates say.
    pub openness: Openness,
    /// What was observed.
    pub observed: Observation,
}

/// The state of one day.
pub struct Today {
    /// The day.
    pub day: Day,
    /// Next deadline of each document, or [`Day::NONE`].
    pub next_deadline: Vec<Day>,
    /// The default order.
    pub order: Order<Vec<u32>>,
    /// Open states of each document, bits as in [`Openness::states`].
    states: Vec<u8>,
    /// Documents of each open state, in the order of [`OPEN_STATES`].
    of_state: [Vec<u64>; OPEN_STATES.len()],
    /// How often each open state meets each ordinal.
    pairs: [Vec<u32>; OPEN_STATES.len()],
    rolling: Vec<u64>,
    open: Vec<u64>,
    /// Ordinal of each open state, in the order of [`OPEN_STATES`].
    ordinals: [u32; OPEN_STATES.len()],
    /// Least and greatest next deadline of every 64 documents.
    zones: Vec<(Day, Day)>,
    seasons: Arc<Seasons>,
    /// All facets over all documents.
    pub(super) browse: Vec<FacetCounts>,
}

impl Today {
    /// Derives a day's state. About 100 ns a document.
    #[must_use]
    pub fn new(index: &Index, day: Day) -> Self {
        let count = index.len();
        let openness: Vec<Openness> = (0..count).map(|doc| index.seasons.openness(doc, day)).collect();
        let states: Vec<u8> = openness.iter().map(|openness| openness.states).collect();
        let bits = |keep: &dyn Fn(&Openness) -> bool| {
            let mut bits = vec![0; words(count)];
            let kept = openness.iter().enumerate().filter(|(_, openness)| keep(openness));
            kept.for_each(|(doc, _)| set_bit(&mut bits, doc as u32));
            bits
        };
        let ordinal = |state| index.values.find(Facet::OpenStates, state).unwrap_or(u32::MAX);
        let next_deadline: Vec<Day> = openness.iter().map(|openness| openness.next_deadline).collect();
        let mut today = Self {
            day,
            order: default_order(&openness, &index.name_rank),
            of_state: std::array::from_fn(|state| bits(&|openness| openness.states >> state & 1 == 1)),
            pairs: pairs(&index.values, &states),
            rolling: bits(&|openness| openness.rolling),
            open: bits(&Openness::is_open),
            zones: zones(&next_deadline),
            next_deadline,
            ordinals: OPEN_STATES.map(ordinal),
            seasons: Arc::clone(&index.seasons),
            states,
            browse: Vec::new(),
        };
        today.browse = index.browse(&today);
        today
    }

    /// Documents that the `open` filter keeps.
    #[must_use]
    pub fn open(&self) -> &[u64] {
        &self.open
    }

    /// Documents that the `rolling` filter keeps.
    #[must_use]
    pub fn rolling(&self) -> &[u64] {
        &self.rolling
    }

    /// Open states of a document, as bits in the order of [`OPEN_STATES`].
    #[must_use]
    pub fn states(&self, doc: u32) -> u8 {
        self.states.get(doc as usize).copied().unwrap_or_default()
    }

    /// What people are told about a document; `None` for a number from nowhere.
    #[must_use]
    pub fn state(&self, doc: u32) -> Option<ProgramState> {
        self.state_on(doc, self.day)
    }

    /// The same on another day.
    #[must_use]
    pub fn state_on(&self, doc: u32, day: Day) -> Option<ProgramState> {
        let doc = doc as usize;
        (doc < self.states.len()).then(|| {
            let (openness, observed) = (self.seasons.openness(doc, day), self.seasons.observed(doc));
            ProgramState { standing: openness.standing(observed.checked, day), openness, observed }
        })
    }

    /// Days on which a document's seasons may turn; none for a number from nowhere.
    pub fn turning_days(&self, doc: u32) -> impl Iterator<Item = Day> {
        let doc = doc as usize;
        let seasons = if doc < self.states.len() { self.seasons.of(doc) } else { 0..0 };
        seasons.flat_map(|position| self.seasons.columns.get(position).turning_days())
    }

    /// Documents of an open state, by its ordinal.
    #[must_use]
    pub fn docs(&self, ordinal: u32) -> Option<&[u64]> {
        let state = self.ordinals.iter().position(|known| *known == ordinal)?;
        Some(&self.of_state[state])
    }

    /// How many documents an open state shares with each value, by its ordinal.
    #[must_use]
    pub fn pairs(&self, ordinal: u32) -> Option<&[u32]> {
        let state = self.ordinals.iter().position(|known| *known == ordinal)?;
        Some(&self.pairs[state])
    }

    /// Open states' entry of a table over ordinals: how many documents `of` has of each.
    pub fn fill(&self, counts: &mut [u32], of: impl Fn(u32, &[u64]) -> u32) {
        for (ordinal, docs) in self.ordinals.iter().zip(&self.of_state) {
            if let Some(count) = counts.get_mut(*ordinal as usize) {
                *count = of(*ordinal, docs);
            }
        }
    }

    /// Counts the open states of a set of documents, into a table over ordinals.
    pub fn count(&self, docs: &DocSet, counts: &mut [u32]) {
        self.fill(counts, |_, _| 0);
        self.add(docs, counts);
    }

    /// Adds the open states of a set of documents to a table over ordinals.
    pub fn add(&self, docs: &DocSet, counts: &mut [u32]) {
        let mut of_state = [0u32; OPEN_STATES.len()];
        match docs {
            DocSet::Bits(bits) => {
                let common = self.of_state.iter().map(|state| count_common(state, bits) as u32);
                of_state.iter_mut().zip(common).for_each(|(count, common)| *count = common);
            }
            DocSet::List(list) => {
                for states in list.iter().map(|doc| self.states(*doc)) {
                    let bits = (0..).map(|state| u32::from(states >> state & 1));
                    of_state.iter_mut().zip(bits).for_each(|(count, bit)| *count += bit);
                }
            }
        }
        for (ordinal, count) in self.ordinals.iter().zip(of_state) {
            if let Some(slot) = counts.get_mut(*ordinal as usize) {
                *slot += count;
            }
        }
    }

    /// Totals of the open states.
    pub fn totals(&self, counts: &mut [u32]) {
        self.fill(counts, |_, docs| count_ones(docs) as u32);
    }

    /// Documents whose next deadline lies in a range; either end may be open. Documents are numbered by
    /// deadline on the day of the build, so that most words are all in or all out long after.
    #[must_use]
    pub fn due(&self, from: Option<Day>, to: Option<Day>) -> Vec<u64> {
        let range = from.unwrap_or(Day(i32::MIN + 1))..=to.unwrap_or(Day(i32::MAX));
        let words = self.next_deadline.chunks(WORD).zip(&self.zones).map(|(deadlines, (least, most))| {
            if most < range.start() || least > range.end() {
                return 0;
            }
            if range.contains(least) && range.contains(most) {
                return u64::MAX >> (WORD - deadlines.len());
            }
            let bits = deadlines.iter().map(|deadline| u64::from(range.contains(deadline)));
            bits.rev().fold(0, |word, bit| word << 1 | bit)
        });
        words.collect()
    }

    /// Whether a document's next deadline lies in a range.
    #[must_use]
    pub fn is_due(&self, doc: u32, from: Option<Day>, to: Option<Day>) -> bool {
        let deadline = self.next_deadline.get(doc as usize).copied().unwrap_or(Day::NONE);
        deadline != Day::NONE
            && from.is_none_or(|from| from <= deadline)
            && to.is_none_or(|to| deadline <= to)
    }

    /// Whether a document is open.
    #[must_use]
    pub fn is_open(&self, doc: u32) -> bool {
        has_bit(&self.open, doc)
    }
}

/// Next deadline ascending, then by openness where there is none, then by name, then by id (which
/// the name rank holds).
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

fn pairs(values: &Values, states: &[u8]) -> [Vec<u32>; OPEN_STATES.len()] {
    let ordinals = values.ordinals();
    // One lane a state for each ordinal, so that a document's states are counted in one place.
    let mut lanes = vec![[0u32; 8]; ordinals];
    let of_docs = values.of_docs();
    for (doc, states) in states.iter().enumerate() {
        let add: [u32; 8] = std::array::from_fn(|state| u32::from(states >> state & 1));
        for ordinal in of_docs.get(doc as u32) {
            let lane = &mut lanes[usize::from(*ordinal)];
            lane.iter_mut().zip(add).for_each(|(count, add)| *count += add);
        }
    }
    for set in 0..ordinals {
        let lane = lanes[set];
        for member in values.set(set) {
            lanes[*member as usize].iter_mut().zip(lane).for_each(|(count, add)| *count += add);
        }
    }
    let mut pairs: [Vec<u32>; OPEN_STATES.len()] =
        std::array::from_fn(|state| lanes.iter().map(|lane| lane[state]).collect());
    let mut meet = [[0u32; OPEN_STATES.len()]; OPEN_STATES.len()];
    for states in states {
        for (a, row) in meet.iter_mut().enumerate().filter(|(a, _)| states >> a & 1 == 1) {
            let _ = a;
            row.iter_mut().enumerate().for_each(|(b, count)| *count += u32::from(states >> b & 1));
        }
    }
    for (state, ordinal) in OPEN_STATES.iter().enumerate() {
        let Some(ordinal) = values.find(Facet::OpenStates, ordinal) else { continue };
        for (row, of) in pairs.iter_mut().zip(&meet) {
            row[ordinal as usize] = of[state];
        }
    }
    pairs
}
