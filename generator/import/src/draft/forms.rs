//! What the cells of a sheet prove about its dates, numbers, lists, currencies and places.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::sheets::{Draft, Taken, columns_of, fields_of, is_sum_row, one_line};
use crate::days::{order_of, proved_order, several};
use crate::fields::Field;
use crate::made::{Made, Wrong};
use crate::mapping::{DateOrder, ELIGIBILITY, NumberForm, Rule, Source, Target, quoted};
use crate::money;
use crate::source::sheet::{Cell, Row};
use crate::values::{self, has_scheme, is_place, is_state, items, lacks_scheme};
use crate::vocabulary::{find_word, is_empty_mark, value_of};
use dataset::Table;
use dataset::diagnostics::Code;
use dataset::schema::ValueType;
use dataset::text::counted;
use snapshot::place::{self, NameKind};
use snapshot::record::Locale;
use snapshot::text::fold;

/// The currencies of a sheet's sums.
pub(super) struct Currencies {
    pub has_dollars: bool,
    has_others: bool,
    /// The line that declares what no cell shows.
    pub declared: Option<String>,
}

/// A cell's row and text, and what an import makes of it.
type Trial<'s> = (&'s Row, String, Result<Made, Wrong>);

/// A cell that has one of two forms, as far as it shows which; whether nothing else could be meant; and where it is.
type FormEvidence = (Option<&'static str>, bool, String);

/// The fields that have the largest and the least sum of an award, and that of a fact.
pub(super) const SUMS: [(Table, &str); 2] =
    [(Table::Programs, "fundingMaxUsd"), (Table::Programs, "fundingMinUsd")];
const AMOUNT: (Table, &str) = (Table::Facts, "amount");

/// The two forms of numbers that exclude each other.
const FORMS: [&str; 2] = ["1,234.56", "1.234,56"];

/// A cell, for a comment.
fn cell_at(text: &str, row: &Row) -> String {
    format!("{}, row {}", one_line(text), row.line)
}

/// The line that declares a form: as proved where no cell contradicts, else as a question.
fn verdict(word: &str, forms: [&str; 2], mut found: Vec<FormEvidence>) -> Option<String> {
    found.sort_by_key(|(_, is_proof, _)| !is_proof);
    let (_, is_proved, open) = found.first()?;
    let of = |form: &str| found.iter().filter(|it| it.0 == Some(form)).map(|it| &it.2).collect::<Vec<_>>();
    let [form, other] = if of(forms[1]).len() > of(forms[0]).len() { [forms[1], forms[0]] } else { forms };
    let (cells, contrary) = (of(form), of(other));
    let why = match &contrary[..] {
        _ if !is_proved => format!("? or \"{other}\": {open}, may be both, and no row decides"),
        [] => format!("proved by {}", cells[0]),
        [cell, ..] => {
            let (count, few) = (counted(cells.len(), "cell"), contrary.len());
            format!("? {count} are written so, as {}; {few} as \"{other}\": {cell}", cells[0])
        }
    };
    Some(format!("{word} = \"{form}\"  # {why}"))
}

/// A text as a sum in each form that reads it.
fn sums_of(text: &str) -> Vec<(&'static str, money::Sum)> {
    let form = |form: &str| NumberForm::try_from(form.to_owned()).ok();
    FORMS.into_iter().filter_map(|it| Some((it, money::read(text, form(it)).ok()?))).collect()
}

/// The form that reads a sum, where the other one does not, and whether it proves it: no sum has thousandths, but in some
/// currencies or with a factor, so that `1,000` is a thousand.
fn form_of((row, text): (&Row, &String), header: &str) -> Option<FormEvidence> {
    let [(form, sum)] = &sums_of(text)[..] else { return None };
    let (codes, scale) = money::of_header(header);
    let mut codes = codes.iter().chain(&sum.currency).flatten();
    let has_mills = sum.is_scaled || scale != 1.0 || codes.any(|it| find_word("thousandths", it).is_some());
    Some((Some(*form), !has_mills || money::read(text, None).is_ok(), cell_at(text, row)))
}

impl Draft<'_> {
    /// The texts of a column, with their rows.
    fn texts(&self, column: usize) -> impl Iterator<Item = (&Row, &String)> {
        let cells = self.sheet.cells(column);
        cells.filter_map(|(row, cell)| if let Cell::Text(text) = cell { Some((row, text)) } else { None })
    }

    /// The words that stand for nothing; a question where one is a country among those of its column, as `NA`.
    pub(super) fn empty_marks(&self) -> Option<String> {
        let (mut marks, mut country) = (BTreeSet::new(), None);
        for column in 0..self.sheet.columns.len() {
            let (empty, words): (Vec<_>, Vec<_>) = self.column(column).partition(|word| is_empty_mark(word));
            let has_codes = words.iter().any(|word| place::find(word).is_some());
            country = country.or_else(|| empty.iter().filter(|_| has_codes).find_map(|it| place::find(it)));
            marks.extend(empty.iter().map(|mark| quoted(mark)));
        }
        let doubt = country.map(|it| format!("; {} is {} too", it.code, it.name(Locale::En)));
        let mark = if doubt.is_some() { "? " } else { "" };
        let what = format!("{mark}what stands for nothing{}", doubt.unwrap_or_default());
        let marks: Vec<String> = marks.into_iter().collect();
        (!marks.is_empty()).then(|| format!("empty   = [{}]  # {what}", marks.join(", ")))
    }

    /// What an import makes of each cell of a rule's column as a field.
    fn trial(&self, field: &str, kind: ValueType, rule: Rule, source: &Source) -> Vec<Trial<'_>> {
        let target = Target { table: Table::Facts, fields: vec![(field.to_owned(), kind, rule)] };
        let to = &values::CellField::all(source, &target, self.sheet)[0];
        let column = self.sheet.column(&to.rule.columns[0]);
        let cells = column.into_iter().flat_map(|column| self.sheet.cells(column));
        let made = |row, cell| to.make(cell, row);
        cells.map(|(row, cell)| (row, cell.text(), made(row, cell))).collect()
    }

    /// What an import makes of the cells of a column as days, in either order.
    fn orders(&self, column: usize, field: &str) -> [Vec<Trial<'_>>; 2] {
        [DateOrder::Dmy, DateOrder::Mdy].map(|order| {
            let rule = Rule { notes: true, ..self.rule(column) };
            self.trial(field, ValueType::Date, rule, &Source { dates: Some(order), ..Source::default() })
        })
    }

    /// How many cells of a column are days in some order, or several.
    pub(super) fn days(&self, column: usize) -> usize {
        let declared = Source { dates: Some(DateOrder::Dmy), ..Source::default() };
        let is_day = |(_, text, made): &&Trial<'_>| {
            let is_one = made.as_ref().is_ok_and(|it| it.value.is_string());
            is_one || several(text, "deadlineOn", &declared).is_some()
        };
        let counts = self.orders(column, "deadlineOn").map(|days| days.iter().filter(is_day).count());
        counts[0].max(counts[1])
    }

    /// How many cells of a column are sums whose currency is shown.
    pub(super) fn sums_shown(&self, column: usize) -> usize {
        let made = self.trial("fundingMinUsd", ValueType::Number, self.rule(column), &Source::default());
        let is_sum = |(_, text, made): &&Trial<'_>| match made {
            Ok(made) => made.counted.is_none() && (made.value.is_number() || made.note.is_some()),
            // Signs among its digits may have two readings.
            Err(wrong) if wrong.code == Code::Separators => money::of_header(text).0.is_some(),
            Err(wrong) => wrong.code == Code::BadCurrency,
        };
        made.iter().filter(is_sum).count()
    }

    /// Whether most cells of a column are sums that are paid by the month or another time, as they or its name say.
    fn has_rates(&self, column: usize) -> bool {
        let is_rate = |text: &String| sums_of(text).iter().any(|(_, sum)| sum.is_rate);
        let (rates, others): (Vec<_>, Vec<_>) = self.column(column).partition(is_rate);
        let is_named = || money::is_of_rates(&self.sheet.columns[column]);
        rates.len() > others.len() || is_named() && self.sums_shown(column) * 2 > others.len()
    }

    /// The column of sums that are facts: those that are not in dollars; else those by the month or another time, none of
    /// which is the largest sum of an award.
    pub(super) fn decide_facts(&self, taken: &mut Taken) {
        let most = taken.get(&SUMS[0]).map(|it| it.0);
        let free = (0..self.sheet.columns.len()).filter(|at| taken.values().all(|it| it.0 != *at));
        let rates = most.into_iter().chain(free).find(|at| self.has_rates(*at));
        taken.retain(|at, (column, _)| *at != SUMS[0] || Some(*column) != rates);
        let others = SUMS.iter().find_map(|at| taken.get(at)).map(|it| it.0);
        let others = others.filter(|_| self.money(taken).has_others);
        taken.extend(others.or(rates).map(|column| (AMOUNT, (column, true))));
    }

    /// How many cells of a column are addresses of pages.
    pub(super) fn addresses(&self, column: usize) -> usize {
        self.column(column).filter(|text| has_scheme(text) || lacks_scheme(text)).count()
    }

    /// How many cells of a column have places only, and how many have other words.
    fn places_and_words(&self, column: usize) -> (usize, usize) {
        let is_known = |part: &String| is_place(part) || value_of("places", part).is_some();
        let are_places = |text: &String, sign: &str| items(text, sign).iter().all(is_known);
        let has_places = |text: &String| [";", "|", ","].iter().any(|sign| are_places(text, sign));
        let cells = self.column(column).filter(|text| !is_empty_mark(text));
        let (places, others): (Vec<_>, Vec<_>) = cells.partition(has_places);
        (places.len(), others.len())
    }

    /// How many cells of a column have places only, if nearly all have.
    pub(super) fn places_shown(&self, column: usize) -> usize {
        let (places, others) = self.places_and_words(column);
        if places >= others * 9 { places } else { 0 }
    }

    /// Whether cells have hours, or words that are not understood.
    pub(super) fn has_hours(&self, column: usize, field: &str) -> bool {
        self.orders(column, field).into_iter().flatten().any(|(_, text, made)| {
            let has_note = made.is_ok_and(|it| it.note.is_some());
            has_note && !is_empty_mark(&text) && value_of("status", &text).is_none()
        })
    }

    pub(super) fn dates(&self, taken: &Taken) -> Option<String> {
        let mut found = Vec::new();
        for column in columns_of(taken, ValueType::Date) {
            let header = &self.sheet.columns[column];
            let named = order_of(header).map(DateOrder::name);
            found.extend(named.map(|it| (Some(it), true, format!("the column's name {}", quoted(header)))));
            let orders = self.texts(column).map(|(row, text)| (row, text, proved_order(text)));
            found.extend(orders.filter_map(|(row, text, it)| Some((it?, it?.is_some(), cell_at(text, row)))));
        }
        verdict("dates  ", ["dmy", "mdy"], found)
    }

    pub(super) fn numbers(&self, taken: &Taken) -> Option<String> {
        let forms = |at: usize| self.texts(at).filter_map(move |it| form_of(it, &self.sheet.columns[at]));
        verdict("numbers", FORMS, columns_of(taken, ValueType::Number).flat_map(forms).collect())
    }

    /// The form of numbers that is proved.
    pub(super) fn form(&self, taken: &Taken) -> Option<NumberForm> {
        NumberForm::try_from(self.numbers(taken)?.split('"').nth(1)?.to_owned()).ok()
    }

    pub(super) fn lists(&self, taken: &Taken) -> Option<String> {
        let (separator, cell) = self.separator(taken)?;
        // The sign may belong to a value or to prose: it separates where parts of cells recur in others, or are places.
        let cells: BTreeSet<_> = columns_of(taken, ValueType::List).flat_map(|at| self.column(at)).collect();
        let parts = |text: &str| items(text, separator).into_iter().collect::<BTreeSet<_>>();
        let mut uses = BTreeMap::<String, usize>::new();
        cells.iter().flat_map(|text| parts(text)).for_each(|part| *uses.entry(part).or_default() += 1);
        let is_known =
            |it: &&String| uses[*it] > 1 || is_place(it) || is_state(it) || value_of("places", it).is_some();
        // Quotes around an item show that the sign outside of them separates.
        let is_quoted = cells.iter().any(|it| items(it, separator).len() < it.split(separator).count());
        let joined: Vec<_> = cells.iter().filter(|text| !is_quoted && text.contains(separator)).collect();
        // Half of the parts of one cell prove nothing, unless one is a place.
        let alone = usize::from(joined.len() == 1 && !parts(joined[0]).iter().any(|it| is_place(it)));
        let recurs = |it: &&String| parts(it).iter().filter(is_known).count() * 2 >= parts(it).len() + alone;
        let (known, other): (Vec<_>, Vec<_>) = joined.into_iter().partition(recurs);
        if let Some(first) = other.first().filter(|_| other.len() * 9 > known.len()) {
            let (mark, doubt) = if known.is_empty() { ("# ? ", "") } else { ("", "? ") };
            let (count, all, first) = (known.len(), known.len() + other.len(), one_line(first));
            let why = format!("does it separate values? Parts recur in {count} of {all}, not in {first}");
            return Some(format!("{mark}lists   = \"{separator}\"  # {doubt}{why}"));
        }
        // `Georgia, US` may be two places, or one with its country.
        let places = taken.iter().filter(|((_, field), _)| separator == "," && field.ends_with("Countries"));
        let mut places = places.flat_map(|(_, (column, _))| self.column(*column));
        // No state and no country lies in another one.
        let apart = |it: &str| [is_state, is_place].iter().any(|is| items(it, ",").iter().all(|it| is(it)));
        let pair = places.find(|text| !apart(text) && text.matches(',').count() == 1).map(|it| one_line(&it));
        let doubt = |it| format!("? does the comma separate countries, or a place from its country: {it}");
        let why = pair.map_or_else(|| format!("as in {}", one_line(&cell)), doubt);
        Some(format!("lists   = \"{separator}\"  # {why}"))
    }

    /// What stands between the items of most lists, and a cell where it does.
    pub(super) fn separator(&self, taken: &Taken) -> Option<(&'static str, String)> {
        let columns: Vec<usize> = columns_of(taken, ValueType::List).collect();
        let cells = |sign: &&str| {
            let cells = columns.iter().flat_map(|column| self.column(*column));
            cells.filter(|text| text.contains(sign)).collect::<Vec<_>>()
        };
        let sign = [",", "|", ";"].into_iter().max_by_key(|sign| cells(sign).len())?;
        Some((sign, cells(&sign).into_iter().next()?))
    }

    /// The currencies of the sums of a sheet, cell by cell.
    pub(super) fn money(&self, taken: &Taken) -> Currencies {
        let source = Source { numbers: self.form(taken), ..Source::default() };
        let (mut open, mut known, mut is_in) = (None, BTreeSet::<String>::new(), [false; 2]);
        for at in SUMS.iter().chain([&AMOUNT]) {
            let Some((column, _)) = taken.get(at) else { continue };
            let sums = self.trial("amount", ValueType::Number, self.rule(*column), &source).into_iter();
            for (row, text, made) in sums.filter(|(row, ..)| !is_sum_row(row)) {
                match made {
                    Ok(Made { currency: Some(code), .. }) => {
                        is_in[usize::from(code != "USD")] |= *at != AMOUNT;
                        known.insert(code);
                    }
                    Err(wrong) if wrong.code == Code::BadCurrency && open.is_none() => {
                        let codes = [&text, &self.sheet.columns[*column]];
                        let codes = codes.into_iter().find_map(|it| money::of_header(it).0);
                        open = Some((cell_at(&text, row), codes.unwrap_or_default()));
                    }
                    _ => {}
                }
            }
        }
        let declared = open.map(|(place, codes): (String, money::Codes)| {
            // Most of the others are in the likeliest one.
            let fits = |code: &&String| codes.is_empty() || codes.contains(code);
            let likely: Vec<&String> = known.iter().filter(fits).collect();
            // One currency of the others, or the commonest of a sign; of several, none is likelier.
            let mark = if likely.len() > 1 { "# ? " } else { "" };
            let code = likely.first().copied().or(codes.first()).map_or("USD", String::as_str).to_owned();
            let shown = known.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let others = if shown.is_empty() { shown } else { format!("; others show {shown}") };
            let question = format!("nothing shows which currency {place}, is in{others}");
            let proposed = if mark.is_empty() { code.as_str() } else { "…" };
            let declared = format!("{mark}currency = \"{proposed}\"  # ? {question}");
            is_in[usize::from(code != "USD")] = true;
            declared
        });
        Currencies { has_dollars: is_in[0] || !is_in[1], has_others: is_in[1], declared }
    }

    /// Sums that are facts, of the row's season where a program has several rows.
    pub(super) fn sums(&self, out: &mut String, taken: &Taken, season: Option<&String>) {
        let Some((column, is_sure)) = taken.get(&AMOUNT) else { return };
        let name = &self.sheet.columns[*column];
        // Pages show the name of the column beside the sum, which is published in full, without the factor of the name.
        let label = quoted(&money::bare_header(name));
        let season = season.filter(|_| taken.keys().any(|(table, _)| *table == Table::Cycles));
        let season = season.map_or_else(String::new, |label| format!("cycle = {label}\n"));
        let _ = write!(
            out,
            "\n[sources.{}.facts]  # sums in the currency that each shows\n\
             kind = {{ value = \"funding\" }}\nlabel = {{ value = {label} }}\n{season}",
            self.found.name
        );
        out.push_str(&self.rule(*column).line("amount", &self.evidence((*column, *is_sure))));
    }

    /// A column without any place has none, whatever its name; one of topics that are places has no topics.
    pub(super) fn decide_places(&self, taken: &mut Taken) {
        let parts = |column: usize| {
            let items = |text: String| [",", ";", "|"].map(|it| items(&text, it)).into_iter().flatten();
            self.column(column).flat_map(items)
        };
        let has_place = |column: usize| parts(column).any(|part| is_place(&part));
        // Who may apply is in words, or by places alone.
        let words = taken.get(&(Table::Programs, ELIGIBILITY)).copied();
        let has_most = |(places, others): (usize, usize)| places >= others;
        let of_places = words.filter(|(column, _)| has_most(self.places_and_words(*column)));
        if let Some(own) = of_places {
            taken.remove(&(Table::Programs, ELIGIBILITY));
            taken.entry((Table::Programs, "eligibleCountries")).or_insert(own);
        }
        taken.retain(|(_, field), (column, _)| !field.ends_with("Countries") || has_place(*column));
        let is_topic = |it: &&Field| it.value_type() == ValueType::List && !it.name.ends_with("Countries");
        let regions = place::names().iter().filter(|name| name.kind == NameKind::Subdivision);
        let regions: BTreeSet<String> = regions.map(|name| fold(name.text)).collect();
        for name in fields_of(Table::Programs).filter(is_topic).map(|field| field.name).chain(["lifecycle"]) {
            let at = (Table::Programs, name);
            let Some((column, is_sure)) = taken.get(&at).copied() else { continue };
            // A column `State` has states of affairs or of a country.
            let is_known = |part: String| value_of("lifecycle", &part).is_some();
            let state = |it: &str| name == "lifecycle" && is_state(it);
            let has_places =
                parts(column).any(|it| is_place(&it) || state(&it) || regions.contains(&fold(&it)));
            if if name == "lifecycle" { !is_sure && !parts(column).any(is_known) } else { has_places } {
                taken.remove(&at);
                let places = has_places.then_some((column, false));
                places.map(|it| *taken.entry((Table::Programs, "eligibleCountries")).or_insert(it));
            }
        }
    }

    /// Places that may apply: a union of states as its members, which have codes.
    pub(super) fn places(&self, out: &mut String, field: &str, taken: (usize, bool), lists: Option<&str>) {
        let words = |cell: String| lists.map_or_else(|| vec![cell.clone()], |it| items(&cell, it));
        let words: Vec<String> = self.column(taken.0).flat_map(words).collect();
        let union = |word: &String| Some((word.clone(), value_of("places", word)?.to_owned()));
        let mut values: BTreeMap<String, String> = words.iter().filter_map(union).collect();
        // `CA` is California among other states, and Canada among other countries.
        let states = words.iter().filter(|word| is_state(word));
        let (both, states): (Vec<_>, Vec<_>) = states.partition(|word| place::is_place(word));
        let is_country = |word: &&String| word.len() == 2 && is_place(word) && !both.contains(word);
        let has_countries = words.iter().any(|word| is_country(&word)) && states.is_empty();
        let own = both.iter().chain(&states).filter(|_| !has_countries);
        values.extend(own.map(|word| ((*word).clone(), format!("US-{word}"))));
        let named = |word: &&String| place::find(word).map_or("", |place| place.name(Locale::En));
        let question = match both.first().filter(|_| states.is_empty() && !has_countries) {
            Some(word) => format!("  # ? states of the US, or countries: {word} is {}?", named(word)),
            None => self.evidence(taken),
        };
        values.extend((!values.is_empty()).then(|| ["*", "*"].map(str::to_owned).into()));
        out.push_str(&Rule { values, ..self.rule(taken.0) }.line(field, &question));
    }
}
