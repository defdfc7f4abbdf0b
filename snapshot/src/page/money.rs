//! Amounts in words. Where a source's amount was converted, the source's amount stands first and the US
//! dollars after it, rounded to two digits; where a program has no amount of its own, the amounts of its
//! facts are listed with their labels.

use crate::facet::eligibility::sentences;
use crate::page::text::{grouped, phrase};
use crate::patterns::Patterns;
use crate::record::{Fact, Locale, Number, Polarity, Program, words};
use crate::text::normalized;
use crate::truncate::at_word;

/// Value of the note that states what an amount in US dollars was converted from. Its text starts
/// with the amount, the currency and the rate: `30000000 EUR at 0.8845 EUR per USD`.
const CONVERSION: &str = "funding-conversion";
/// Below this many US dollars an amount near a word for a time is a rate of pay.
const BESIDE_MAX: f64 = 100.0;
/// Below this many it is one if the word follows at once, as in `/week`.
const RATE_MAX: f64 = 10_000.0;
/// How many characters from an amount a word for a time may be and still belong to it.
const BESIDE: usize = 24;
/// Most amounts that facts name.
const NAMED_MAX: usize = 2;
/// Kind of the facts that state an amount.
const FUNDING: &str = "funding";
/// Words before the colon of a line about the amount, folded. *Award* may begin any sentence.
const HEADINGS: [&str; 12] = [
    "amount",
    "amounts",
    "award amount",
    "award range",
    "grant amount",
    "funding amount",
    "stipend",
    "importe",
    "monto",
    "monto adjudicado",
    "cuantia",
    "dotacion",
];
/// How a sentence states what one award pays, up to the amount.
static PAYS: Patterns = Patterns::new(include_str!("pays.txt"));
/// What stands before an amount.
const CURRENCIES: [&str; 8] = ["US$", "$", "\u{20ac}", "\u{a3}", "USD", "EUR", "CLP", "GBP"];
/// What stands after a share.
const SHARES: [&str; 4] = ["%", "percent", "per cent", "por ciento"];
/// Longest amount in the words of its source, in characters.
const STATED_MAX: usize = 160;
/// Longest quotation of an amount, in characters: an amount is cut only in a text that is no sentence.
const QUOTED_MAX: usize = 2 * STATED_MAX;
/// Amounts up to this one are placeholders of forms.
const NOTHING: f64 = 1.0;
/// From here on an amount of all awards is rounded.
const MILLION: f64 = 1e6;

/// How a language puts amounts.
#[derive(Clone, Copy)]
pub struct AmountPhrases<'a> {
    /// The language.
    pub locale: Locale,
    /// A phrase by its key.
    pub word: &'a dyn Fn(&str) -> &'a str,
}

/// The currency, and the least and the most, that the funding of a program was converted from, where a fact states it
/// and the amounts agree.
pub fn conversion<'a>(program: &Program, facts: &[&'a Fact]) -> Option<(&'a str, [Option<f64>; 2])> {
    let note = facts.iter().find(|fact| fact.value.as_deref() == Some(CONVERSION))?;
    let mut words = note.text.as_deref()?.split_whitespace();
    let stated: f64 = words.next()?.parse().ok()?;
    let currency = words.next().filter(|it| it.len() == 3 && it.bytes().all(|b| b.is_ascii_uppercase()))?;
    let rate: f64 = words.skip_while(|word| *word != "at").nth(1)?.parse().ok()?;
    let is_stated = |bound: Option<Number>| bound.is_some_and(|bound| (stated / rate - bound.0).abs() <= 1.0);
    if rate.is_nan()
        || rate <= 0.0
        || !(is_stated(program.funding_min_usd) || is_stated(program.funding_max_usd))
    {
        return None;
    }
    let source = |bound: Option<Number>| {
        bound.map(|it| if is_stated(bound) { stated } else { unconverted(it.0, rate) })
    };
    Some((currency, [program.funding_min_usd, program.funding_max_usd].map(source)))
}

/// An amount of the source from whole US dollars, as exact as those are.
fn unconverted(usd: f64, rate: f64) -> f64 {
    let step = 10f64.powf(rate.log10().ceil().max(0.0));
    (usd * rate / step).round() * step
}

words! {
    /// A span of time that a rate of pay is for.
    Per {
        /// An hour.
        Hour = "hour",
        /// A week.
        Week = "week",
        /// A month.
        Month = "month",
    }
}

impl Per {
    /// The phrase that puts an amount per span.
    pub(crate) fn key(self) -> String {
        format!("money_per_{}", self.as_str())
    }

    fn of(word: &str) -> Option<Self> {
        match word {
            "hour" | "hours" | "hourly" | "hr" | "hora" | "horas" => Some(Self::Hour),
            "week" | "weeks" | "weekly" | "semana" | "semanas" | "semanal" => Some(Self::Week),
            "month" | "months" | "monthly" | "mes" | "meses" | "mensual" => Some(Self::Month),
            _ => None,
        }
    }
}

/// The span of time that the amounts of a program are paid for, where its texts name one.
pub fn per(program: &Program, facts: &[&Fact]) -> Option<Per> {
    let amounts = [program.funding_min_usd, program.funding_max_usd].into_iter().flatten();
    let small: Vec<f64> = amounts.map(|amount| amount.0).filter(|it| *it > 0.0 && *it < RATE_MAX).collect();
    if small.is_empty() {
        return None;
    }
    let texts = [program.summary.as_deref(), program.description.as_deref()];
    let texts = texts.into_iter().chain(facts.iter().map(|fact| fact.text.as_deref())).flatten();
    texts.into_iter().find_map(|text| rate(text, &small))
}

/// The span beside one of these amounts in a text: `$20-$25/hour`, `hourly wage of $20`. A number of
/// hours, weeks or months is none.
fn rate(text: &str, amounts: &[f64]) -> Option<Per> {
    let text = text.to_lowercase();
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let mut from = 0;
    while let Some(start) = text[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) {
        let end = text[start..].find(|c| !is_number(c)).map_or(text.len(), |at| start + at);
        from = end;
        let number = text[start..end].trim_end_matches(['.', ',']).replace(',', "");
        let Some(amount) = number.parse::<f64>().ok().filter(|number| amounts.contains(number)) else {
            continue;
        };
        let per = match amount < BESIDE_MAX {
            true => after(&text[end..]).or_else(|| before(&text[..start])),
            false => at_once(&text[end..]),
        };
        if per.is_some() {
            return per;
        }
    }
    None
}

/// The span named after an amount and before the next number.
fn after(text: &str) -> Option<Per> {
    let end = text.char_indices().nth(BESIDE).map_or(text.len(), |(end, _)| end);
    let end = text[..end].find(|c: char| c.is_ascii_digit()).unwrap_or(end);
    let beside = &text[..end];
    let counted = beside.trim_start_matches([' ', '-', '\u{a0}']);
    let first = words(counted).next().filter(|word| counted.starts_with(word));
    if first.is_some_and(|word| Per::of(word).is_some() && !word.ends_with("ly")) {
        return None;
    }
    words(beside).find_map(Per::of)
}

/// The span named right after an amount: `/week`, `per month`, `al mes`.
fn at_once(text: &str) -> Option<Per> {
    let text = text.trim_start();
    let (joint, rest) = text.strip_prefix('/').map(|rest| ("per", rest)).or_else(|| text.split_once(' '))?;
    let is_joint = ["per", "a", "an", "each", "every", "por", "al", "cada"].contains(&joint);
    words(rest).next().filter(|_| is_joint).and_then(Per::of)
}

/// The rate named before an amount and after the last number.
fn before(text: &str) -> Option<Per> {
    let start = text.char_indices().rev().nth(BESIDE - 1).map_or(0, |(start, _)| start);
    let start = text[start..].rfind(|c: char| c.is_ascii_digit()).map_or(start, |at| start + at + 1);
    let is_rate = |word: &&str| word.ends_with("ly") || word.ends_with("al");
    words(&text[start..]).filter(is_rate).find_map(Per::of)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// The amounts that facts without a value name.
pub(crate) fn named_amounts<'a>(facts: &[&'a Fact]) -> impl Iterator<Item = (&'a Fact, f64, &'a str)> {
    let included =
        facts.iter().copied().filter(|fact| fact.polarity == Polarity::Include && fact.value.is_none());
    included.filter_map(|fact| Some((fact, fact.amount?.0, fact.currency.as_deref()?)))
}

/// The least and the most that a program pays, in US dollars.
pub(crate) fn bounds(program: &Program) -> [Option<f64>; 2] {
    let is_amount = |bound: &f64| *bound > NOTHING;
    [program.funding_min_usd, program.funding_max_usd].map(|bound| bound.map(|it| it.0).filter(is_amount))
}

/// The amount as its source puts it: the text of a fact about funding, else the line of the description or the summary that
/// begins with a word for it and a colon. Where an amount is published as a number, the line has to have one too. Else a
/// sentence that states what one award pays, of these or of a note: with the greatest amount, if one is published.
pub(crate) fn stated<'a>(program: &'a Program, facts: &[&'a Fact]) -> Option<&'a str> {
    let included = facts.iter().filter(|fact| fact.kind == FUNDING && fact.polarity == Polarity::Include);
    let of_facts = included.filter_map(|fact| fact.text.as_deref());
    let texts = [program.description.as_deref(), program.summary.as_deref()];
    let lines = texts.into_iter().flatten().flat_map(str::lines).filter_map(headed);
    let has_number = bounds(program) != [None, None];
    let is_enough =
        |text: &&str| !text.is_empty() && (!has_number || text.contains(|c: char| c.is_ascii_digit()));
    of_facts.chain(lines).find(is_enough).or_else(|| {
        let has_amount = has_number || named_amounts(facts).next().is_some();
        let notes = facts.iter().filter(|fact| fact.polarity == Polarity::Include && fact.kind == "note");
        let all = texts.into_iter().chain(notes.map(|fact| fact.text.as_deref())).flatten();
        let most = bounds(program)[1].map(|most| grouped(most as u64, Locale::En));
        let has_most = |text: &&str| {
            let numbers = text.split(|c: char| !c.is_ascii_digit() && c != ',');
            numbers.map(|it| it.trim_end_matches(',')).any(|number| most.as_deref() == Some(number))
        };
        all.flat_map(sentences).filter_map(pays).find(|text| !has_amount || has_most(text))
    })
}

/// The amount of a line that begins with a word for it and a colon.
fn headed(line: &str) -> Option<&str> {
    let (heading, amount) = line.trim_start_matches(['-', '*', '\u{2022}', ' ']).split_once(':')?;
    HEADINGS.contains(&&*normalized(heading)).then_some(amount.trim())
}

/// What the notes of an award state that it paid: `Institution: A; Amount: 637500 thousand pesos`.
pub fn paid(notes: &str) -> Option<&str> {
    notes.split([';', '\n']).find_map(headed)
}

/// The part of a sentence that states what one award pays.
fn pays(sentence: &str) -> Option<&str> {
    let words = PAYS.find(sentence)?;
    let start = sentence.find(words)?;
    let amount = sentence[start + words.len()..].trim_start();
    let is_number = |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let is_sum = CURRENCIES.iter().any(|currency| amount.strip_prefix(currency).is_some_and(is_number));
    let unit = amount.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let is_share = is_number(amount) && SHARES.iter().any(|share| unit.starts_with(share));
    // A short sentence is quoted whole: `Tax free payment of $100,000`.
    let start = if sentence.len() <= STATED_MAX { 0 } else { start };
    (is_sum || is_share).then(|| sentence[start..].trim_start())
}

impl AmountPhrases<'_> {
    fn phrase(&self, key: &str, values: &[(&str, &str)]) -> String {
        phrase((self.word)(key), values)
    }

    /// A number with its cents, if it has some. What is great beyond them has none.
    fn number(&self, amount: f64) -> String {
        let amount = amount.max(0.0);
        let cents = ((amount - amount.floor()) * 100.0).round() as u64;
        let whole = grouped(amount.floor() as u64 + cents / 100, self.locale);
        if cents.is_multiple_of(100) { whole } else { format!("{whole}{}{cents:02}", self.mark()) }
    }

    /// What stands before cents.
    fn mark(&self) -> char {
        if self.locale == Locale::Es { ',' } else { '.' }
    }

    /// An amount, exactly.
    pub fn amount(&self, amount: f64, currency: &str) -> String {
        let n = self.number(amount);
        match currency {
            "USD" => self.phrase("money", &[("n", &n)]),
            _ => self.phrase("money_other", &[("n", &n), ("currency", currency)]),
        }
    }

    /// An amount, to so many digits.
    fn rough(&self, amount: f64, currency: &str, digits: f64) -> String {
        let step = 10f64.powf(amount.max(1.0).log10().floor() + 1.0 - digits).max(1.0);
        let amount = (amount / step).round() * step;
        let (key, amount) = match amount {
            // In Spanish, a million millions is a billion.
            it if it >= 1000.0 * MILLION && self.locale == Locale::En => {
                ("money_billion", it / (1000.0 * MILLION))
            }
            it if it >= MILLION => ("money_million", it / MILLION),
            it => ("money_rough", it),
        };
        let n = self.number(amount);
        let n = if n.contains(self.mark()) { n.trim_end_matches('0') } else { &n };
        let key = if key == "money_million" && n == "1" { "money_million_one" } else { key };
        let symbol = match (currency, self.locale) {
            ("EUR", _) => "€".to_owned(),
            ("USD", Locale::En) => "US$ ".to_owned(),
            (_, Locale::En) => format!("{currency} "),
            (_, Locale::Es) => currency.to_owned(),
        };
        self.phrase(key, &[("n", n), ("currency", &symbol)])
    }

    /// An amount of all awards.
    fn total(&self, amount: f64, currency: &str) -> String {
        if amount < MILLION {
            self.amount(amount.round(), currency)
        } else {
            self.rough(amount, currency, 3.0)
        }
    }

    fn range(&self, bounds: [Option<String>; 2]) -> Option<String> {
        Some(match bounds {
            [Some(min), Some(max)] if min == max => min,
            [Some(min), Some(max)] => self.phrase("funding_range", &[("min", &min), ("max", &max)]),
            [Some(min), None] => self.phrase("funding_from", &[("min", &min)]),
            [None, Some(max)] => self.phrase("funding_up_to", &[("max", &max)]),
            [None, None] => return None,
        })
    }

    /// What a program pays, `stated` in the words of its source first; `label` names a fact. `None` where no amount is
    /// published.
    pub fn funding(
        &self,
        program: &Program,
        (facts, stated): (&[&Fact], Option<&str>),
        label: impl Fn(&Fact) -> Option<String>,
    ) -> Option<String> {
        if let Some(text) = stated {
            return Some(at_word(text, QUOTED_MAX).into_owned());
        }
        let bounds = bounds(program);
        if let Some((currency, source)) = conversion(program, facts) {
            let stated = self.range(source.map(|bound| bound.map(|it| self.amount(it, currency))))?;
            let usd = match bounds.map(|bound| bound.map(|it| self.rough(it, "USD", 2.0))) {
                // "up to" is written once.
                [Some(one), None] | [None, Some(one)] => one,
                both => self.range(both)?,
            };
            return Some(self.phrase("funding_about", &[("source", &stated), ("usd", &usd)]));
        }
        match self.range(bounds.map(|bound| bound.map(|it| self.amount(it, "USD")))) {
            Some(range) => Some(match per(program, facts) {
                Some(per) => self.phrase(&per.key(), &[("money", &range)]),
                None => range,
            }),
            None => self.named(facts, label),
        }
    }

    /// The amounts that facts name, where the program has none, each with its label. Those with a value of their own are
    /// budgets and the like, not what an award pays.
    fn named(&self, facts: &[&Fact], label: impl Fn(&Fact) -> Option<String>) -> Option<String> {
        let amounts = named_amounts(facts).filter_map(|(fact, amount, currency)| {
            let amount = self.total(amount, currency);
            Some(self.phrase("funding_named", &[("what", &label(fact)?), ("amount", &amount)]))
        });
        let amounts: Vec<String> = amounts.take(NAMED_MAX).collect();
        (!amounts.is_empty()).then(|| amounts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::status_text;

    #[test]
    fn a_sentence_states_what_one_award_pays() {
        for sentence in [
            "Each award is small, and grants are capped at $600,000 per year.",
            "To provide annual grants of up to $4,000 to students.",
            "Grants will be for a maximum of $3,000.",
            "A county may not request or receive more than $75,000.",
            "The requested funding cannot exceed EUR 15 000 000.",
            "Tax free payment of $100,000 to survivors.",
            "Ayudas de hasta \u{20ac} 3.000 por persona.",
            "Grants go to towns and are capped at $25,000 a year.",
            "The maximum loan amount is $649,000.",
            "Stipends of up to 75 percent of the cost.",
            "Projects are funded at levels up to $9,000.",
            "Grants shall not exceed $3,000,000.",
        ] {
            assert_eq!(pays(sentence), Some(sentence));
            let long = format!("{} {sentence}", "Some words".repeat(20));
            assert!(pays(&long).is_some_and(|it| sentence.ends_with(it)), "{sentence}");
        }
        for sentence in [
            "Las ayudas de hasta 3.000 euros.",
            "The state offers up to $320 million in grant funding.",
            "Indicative budget: EUR 16 000 000 for this topic.",
            "Grants of up to 3 years.",
            "The fund received $1,161,778,272 in total.",
            "Proposals with budgets not exceeding $50,000 are reviewed later.",
        ] {
            assert_eq!(pays(sentence), None, "{sentence}");
        }
    }

    const ENGLISH: AmountPhrases<'_> =
        AmountPhrases { locale: Locale::En, word: &|key| status_text::word(key, Locale::En) };
    const SPANISH: AmountPhrases<'_> =
        AmountPhrases { locale: Locale::Es, word: &|key| status_text::word(key, Locale::Es) };

    #[test]
    fn a_rate_of_pay_is_distinguished_from_a_number_of_hours() {
        for (text, amounts, expected) in [
            ("Amount: $20-$25/hour, 10-week summer term", &[20.0, 25.0][..], Some(Per::Hour)),
            ("A stipend of US$75 per week", &[75.0], Some(Per::Week)),
            ("50 USD al mes", &[50.0], Some(Per::Month)),
            ("An hourly wage of $18.50.", &[18.5], Some(Per::Hour)),
            ("15 hours a week, for 10 weeks", &[15.0], None),
            ("10-week term", &[10.0], None),
            ("$600/week stipend for a 10-week summer term", &[600.0], Some(Per::Week)),
            ("una beca de 1,500 USD por mes", &[1500.0], None),
            ("1500 por mes durante un año", &[1500.0], Some(Per::Month)),
            ("$5,000 for a month at the library", &[5000.0], None),
            ("US$20 for each book; open for months", &[25.0], None),
            ("From 1 to 35,000 dollars. Reports are due every 6 months.", &[1.0], None),
        ] {
            assert_eq!(rate(text, amounts), expected, "{text}");
        }
    }

    #[test]
    fn an_amount_has_its_cents_a_total_is_shortened_from_a_million_on_and_a_converted_one_has_two_digits() {
        type Form = fn(&AmountPhrases<'_>, f64, &str) -> String;
        let (exact, total): (Form, Form) = (|it, n, of| it.amount(n, of), |it, n, of| it.total(n, of));
        let rough: Form = |it, n, of| it.rough(n, of, 2.0);
        for (form, amount, currency, english, spanish) in [
            (rough, 11_305_822.0, "USD", "US$ 11 million", "11 millones de USD"),
            (rough, 1_130_582.0, "USD", "US$ 1.1 million", "1,1 millones de USD"),
            (rough, 999_999.0, "USD", "US$ 1 million", "1 millón de USD"),
            (rough, 452_233.0, "USD", "US$ 450,000", "450\u{202f}000 USD"),
            (rough, 1_217_634_822.0, "USD", "US$ 1.2 billion", "1200 millones de USD"),
            (rough, 7.0, "USD", "US$ 7", "7 USD"),
            (total, 1_780_000_000.0, "EUR", "€1.78 billion", "1780 millones de €"),
            (total, 15_332_800.0, "USD", "US$ 15.3 million", "15,3 millones de USD"),
            (total, 1_000_000.0, "EUR", "€1 million", "1 millón de €"),
            (total, 999_999.0, "EUR", "EUR 999,999", "999\u{202f}999 EUR"),
            (total, 1_204_000.0, "CHF", "CHF 1.2 million", "1,2 millones de CHF"),
            (total, 1_500.5, "EUR", "EUR 1,501", "1501 EUR"),
            (exact, 1_500.5, "EUR", "EUR 1,500.50", "1500,50 EUR"),
            (exact, 0.75, "EUR", "EUR 0.75", "0,75 EUR"),
            (exact, 1_500.0, "EUR", "EUR 1,500", "1500 EUR"),
        ] {
            assert_eq!([ENGLISH, SPANISH].map(|it| form(&it, amount, currency)), [english, spanish]);
        }
    }

    fn program(min: Option<u32>, max: Option<u32>, description: &str) -> Program {
        let nil = uuid::Uuid::nil();
        let json = serde_json::json!({
            "id": nil, "organizationId": nil, "slug": "a", "name": "A", "programType": "grant",
            "officialUrl": "https://a.example", "lifecycle": "unclear", "description": description,
            "fundingMinUsd": min, "fundingMaxUsd": max,
            "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z",
        });
        serde_json::from_value(json).unwrap()
    }

    fn funding(program: &Program, facts: &[serde_json::Value]) -> Option<String> {
        let nil = uuid::Uuid::nil();
        let fact = |more: &serde_json::Value| -> Fact {
            let mut json = serde_json::json!({
                "id": nil, "programId": nil, "kind": "note", "updatedAt": "2026-01-01T00:00:00Z",
            });
            json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value(json).unwrap()
        };
        let facts: Vec<Fact> = facts.iter().map(fact).collect();
        let facts: Vec<&Fact> = facts.iter().collect();
        let label = |fact: &Fact| fact.label.as_deref().map(str::to_owned);
        ENGLISH.funding(program, (&facts, stated(program, &facts)), label)
    }

    #[test]
    fn the_words_of_a_source_stand_before_a_computed_range() {
        let year = "A fellowship.\nAmount: $46,000/year + health insurance\nApply online.";
        let capped = "Grants may not exceed $9,000.";
        for (min, max, text, expected) in [
            (Some(46_000), Some(46_000), year, Some("$46,000/year + health insurance")),
            (None, None, year, Some("$46,000/year + health insurance")),
            (None, None, "Importe: 3.000 euros al mes", Some("3.000 euros al mes")),
            (None, None, "Cuantía:  matrícula completa", Some("matrícula completa")),
            (Some(500), None, "Amount: varies", Some("from US$500")),
            (None, None, "Amount: varies", Some("varies")),
            (None, None, "The amount: nothing is stated", None),
            (None, None, "Award: given each year to 2 scientists", None),
            (None, None, "Amount:", None),
            (Some(1), Some(750_000), "", Some("up to US$750,000")),
            (Some(9_000), Some(9_000), capped, Some(capped)),
            (Some(9_000), Some(9_000), "Grants may not exceed $19,000.", Some("US$9,000")),
        ] {
            assert_eq!(funding(&program(min, max, text), &[]).as_deref(), expected, "{min:?} {max:?} {text}");
        }
    }

    #[test]
    fn a_budget_is_not_what_an_award_pays() {
        use serde_json::json;
        let none = program(None, None, "");
        let budget = json!({ "value": "total-budget", "label": "Budget", "amount": 900, "currency": "GBP" });
        let award = json!({ "label": "Award (up to £900)", "amount": 900, "currency": "GBP" });
        let stated = json!({ "kind": "funding", "value": "stipend", "text": "£2,000/month" });
        assert_eq!(funding(&none, std::slice::from_ref(&budget)), None);
        assert_eq!(funding(&none, &[budget.clone(), award]).unwrap(), "Award (up to £900): GBP 900");
        assert_eq!(funding(&none, &[budget, stated]).unwrap(), "£2,000/month");
        let note =
            json!({ "value": "eligibility-text", "text": "Groups are eligible for grants up to $2,000." });
        assert_eq!(funding(&none, &[note]).unwrap(), "Groups are eligible for grants up to $2,000.");
    }

    #[test]
    fn the_notes_of_an_award_may_state_what_it_paid() {
        let notes = "Institution: A; Amount: 637500 thousand pesos; Topic: B";
        assert_eq!(paid(notes), Some("637500 thousand pesos"));
        assert_eq!(paid("Monto adjudicado: 7000 miles de pesos"), Some("7000 miles de pesos"));
        assert_eq!(paid("Large amount of data: none"), None);
    }

    #[test]
    fn an_amount_is_taken_back_to_its_currency_as_exactly_as_dollars_allow() {
        assert_eq!(unconverted(11_305_822.0, 0.8845), 10_000_000.0);
        assert_eq!(unconverted(10_033.0, 149.5), 1_500_000.0);
    }
}
