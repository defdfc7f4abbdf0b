//! Any cell is read to a value that prints back to what the cell says, or is refused. Each grammar stands beside a naive
//! reader, which knows nothing of it.

use jiff::civil::Date;
use proptest::prelude::*;

use super::*;
use crate::days;
use crate::mapping::{DateOrder, NumberForm};
use crate::money;
use crate::values::items;
use dataset::schema::ValueType;

/// Three numbers with two signs, in a declared order.
fn naive_date(text: &str, order: DateOrder) -> Option<Date> {
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    let [a, b, c] = parts[..] else { return None };
    let (year, month, day) = match order {
        _ if a.len() == 4 => (a, b, c),
        DateOrder::Dmy => (c, b, a),
        DateOrder::Mdy => (c, a, b),
        _ => (a, b, c),
    };
    let number: i16 = year.parse().ok()?;
    let is_near = year.len() == 4 && (1900..2200).contains(&number);
    let number = if year.len() == 2 && number <= 50 { 2000 + number } else { number };
    let is_short = month.len() < 3 && day.len() < 3;
    let date = Date::new(number, month.parse().ok()?, day.parse().ok()?).ok()?;
    (is_short && (is_near || year.len() == 2 && number >= 2000)).then_some(date)
}

/// Digits in groups of three and with cents.
fn naive_number(text: &str, group: char, decimal: char) -> Option<f64> {
    let (whole, cents) = text.split_once(decimal).unwrap_or((text, "0"));
    let groups: Vec<&str> = whole.split(group).collect();
    let is_grouped = groups.len() == 1 || groups[0].len() < 4 && groups[1..].iter().all(|it| it.len() == 3);
    let whole = groups.concat();
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let is_sound = is_digits(groups[0]) && is_digits(&whole) && is_digits(cents) && cents.len() != 3;
    let has_zero = whole.len() > 1 && whole.starts_with('0');
    (is_grouped && is_sound && !has_zero).then(|| format!("{whole}.{cents}").parse().ok())?
}

/// A whole number with a sign between groups of three digits.
fn grouped(number: u64, sign: &str) -> String {
    let digits = number.to_string();
    let starts =
        (0..digits.len()).filter(|at| *at == 0 || (digits.len() - at).is_multiple_of(3)).collect::<Vec<_>>();
    let ends = starts.iter().skip(1).copied().chain([digits.len()]);
    starts.iter().zip(ends).map(|(from, to)| &digits[*from..to]).collect::<Vec<_>>().join(sign)
}

/// An age or a duration: one number and nothing else, whose thousands may have a space or an apostrophe.
fn naive_measure(text: &str) -> Option<f64> {
    let text = text.replace('\'', " ");
    let head = |it: &str| it.split(['.', ',']).next().map_or(0, str::len);
    let is_grouped = text.split(' ').skip(1).all(|it| head(it) == 3);
    let text = text.replace(' ', "");
    let [one, other] = [naive_number(&text, ',', '.'), naive_number(&text, '.', ',')];
    let is_open = one.is_some() && other.is_some() && one != other;
    one.or(other).filter(|_| is_grouped && !is_open)
}

/// Yes and no in five languages, and signs.
fn naive_boolean(text: &str) -> Option<bool> {
    let word = text.to_lowercase();
    let is = |words: &str| words.split(' ').any(|it| it == word);
    let is_true = is("true yes y si sí sì x 1 oui ja sim ✓ ✔ ☑");
    (is_true || is("false no n 0 non nein nao não")).then_some(is_true)
}

/// Words of cells with an age, a duration or an answer: some of the grammar, most not.
const MEASURES: &str = "18 25 6 0 018 1,5 2.5 1.000 1,000 12'000 1e2 + - – to ages years meses from under > ½ six ² yes No SÍ non maybe ✓ ✗ x n/a ? № ¹ not";

const ORDERS: [DateOrder; 3] = [DateOrder::Dmy, DateOrder::Mdy, DateOrder::Ymd];

/// Words of cells around a day: some of the grammar, some not.
const AROUND: &str =
    "1 31 03 2027 27 March marzo Dezember , - / . due by Monday opens from cancelled ? to and (";
/// Those that make a deadline unread.
const STRANGE: [&str; 6] = ["opens", "from", "cancelled", "?", "to", "and"];

proptest! {
    #[test]
    fn a_date_of_numbers_is_what_a_naive_reader_makes_of_it(
        text in "[0-9]{1,4}([/.-])[0-9]{1,3}([/.-])[0-9]{1,4}",
        order in 0..3usize,
    ) {
        let order = ORDERS[order];
        let is_alike = text.matches(['/', '.', '-']).collect::<BTreeSet<_>>().len() == 1;
        let read = days::read(&text, "deadlineOn", Some(order)).ok().map(|(date, _)| date);
        prop_assert_eq!(read, naive_date(&text, order).filter(|_| is_alike), "{}", text);
    }

    #[test]
    fn a_day_prints_back_in_every_form(days in 0..18_000i32, form in 0..6usize) {
        let date = Date::constant(2000, 1, 1).saturating_add(jiff::Span::new().days(days));
        let (year, month, day) = (date.year(), date.month(), date.day());
        let name = ["January", "febrero", "mars", "April", "Mai", "junho", "luglio", "August", "septiembre", "octobre",
            "November", "Dez."][month as usize - 1];
        let text = match form {
            0 => date.to_string(),
            1 => format!("{day}/{month}/{year}"),
            2 => format!("{day:02}.{month:02}.{year}"),
            3 => format!("{day} {name} {year}"),
            4 => format!("{name} {day}, {year}"),
            _ => format!("{day:02}{month:02}{year}"),
        };
        let read = days::read(&text, "deadlineOn", Some(DateOrder::Dmy));
        prop_assert_eq!(read.ok(), Some((date, None)), "{}", text);
    }

    #[test]
    fn a_day_among_words_has_all_numbers_of_its_cell_or_is_refused(
        words in proptest::collection::vec(0..22usize, 1..9),
    ) {
        let words: Vec<&str> = words.into_iter().filter_map(|at| AROUND.split(' ').nth(at)).collect();
        let text = words.join(" ");
        if let Ok((date, hour)) = days::read(&text, "deadlineOn", Some(DateOrder::Dmy)) {
            prop_assert!(words.iter().all(|word| !STRANGE.contains(word)), "{}", text);
            let mut left = vec![i32::from(date.year()), i32::from(date.month()), i32::from(date.day())];
            for number in words.iter().filter_map(|word| word.parse::<i32>().ok()) {
                let find = |number: i32| left.iter().position(|it| *it == number);
                let at = find(number).or_else(|| find(number + 2000));
                // Only an hour is none of them, and a note has it.
                prop_assert!(at.is_some() || hour.is_some(), "{} is {}", text, date);
                at.map(|at| left.remove(at));
            }
            prop_assert!(left.len() < 2, "{} is {}", text, date);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,40}") {
        for order in ORDERS {
            drop(days::read(&text, "opensOn", Some(order)));
        }
        drop(money::read(&text, None));
        drop(items(&text, ","));
        drop(source::html::plain(&Cell::Text(text)));
    }

    #[test]
    fn a_number_is_what_a_naive_reader_makes_of_it(text in "[0-9]{0,4}([.,][0-9]{0,4}){0,3}", is_comma in any::<bool>()) {
        let (group, decimal) = if is_comma { ('.', ',') } else { (',', '.') };
        let form = NumberForm { group: Some(group), decimal: Some(decimal) };
        prop_assert_eq!(money::number(&text, Some(form)), naive_number(&text, group, decimal), "{}", text);
        // Without a form, what both forms read must be one number.
        let [one, other] = [naive_number(&text, ',', '.'), naive_number(&text, '.', ',')];
        if let Some(read) = money::number(&text, None) {
            prop_assert!(one.or(other) == Some(read) && one.zip(other).is_none_or(|(a, b)| a == b), "{}", text);
        }
    }

    #[test]
    fn an_age_a_duration_or_an_answer_is_what_a_naive_reader_makes_of_it(
        words in proptest::collection::vec(0..36usize, 1..4), noise in "[0-9., a-z]{0,4}", sign in 0..3usize,
    ) {
        let words: Vec<&str> = words.into_iter().filter_map(|at| MEASURES.split(' ').nth(at)).collect();
        let joined = words.join([" ", "", "-"][sign]);
        let read = |text: &str, kind| values::written(&json!(text), &"min".to_owned(), kind).ok();
        for text in [joined.as_str(), words[0], &noise, &format!("{}{noise}", words[0])].map(str::trim) {
            let number = read(text, ValueType::Number).and_then(|it| it.as_f64());
            prop_assert!(number.is_none() || number == naive_measure(text), "{}: {:?}", text, number);
            let is_plain = text.len() < 4 && text.bytes().all(|it| it.is_ascii_digit()) && !text.starts_with('0');
            prop_assert!(!is_plain || number == text.parse().ok(), "{}: {:?}", text, number);
            let answer = read(text, ValueType::Boolean).and_then(|it| it.as_bool());
            prop_assert_eq!(answer, naive_boolean(text), "{}", text);
        }
    }

    #[test]
    fn a_sum_prints_back_with_its_currency(number in 0..10_000_000_000u64, sign in 0..4usize, code in 0..4usize) {
        let (group, form) = [(",", "1,234.56"), (".", "1.234,56"), (" ", "1 234,56"), ("'", "1'234.56")][sign];
        let (shown, code) = [("EUR {}", "EUR"), ("£{}", "GBP"), ("{} CHF", "CHF"), ("{}", "")][code];
        let text = shown.replace("{}", &grouped(number, group));
        let sum = money::read(&text, NumberForm::try_from(form.to_owned()).ok());
        let sum = sum.map(|sum| (sum.least, sum.most, sum.currency.map(|it| it.join("|")).unwrap_or_default()));
        prop_assert_eq!(sum.ok(), Some((Some(number as f64), Some(number as f64), code.to_owned())), "{}", text);
    }

    #[test]
    fn a_range_has_the_two_numbers_of_its_cell_or_is_refused(a in 1..2_000_000u64, b in 1..2_000_000u64, sign in 0..4usize) {
        let between = ["-", " – ", " to ", " a "][sign];
        let text = format!("{}{between}{} EUR", grouped(a, ","), grouped(b, ","));
        let form = NumberForm::try_from("1,234.56".to_owned()).ok();
        match money::read(&text, form) {
            Ok(sum) => prop_assert_eq!((sum.least, sum.most), (Some(a as f64), Some(b as f64)), "{}", text),
            Err(_) => prop_assert!(a > b || a * 1000 < b, "{}", text),
        }
    }

    #[test]
    fn a_list_is_what_a_reader_of_csv_makes_of_it(list in proptest::collection::vec("[a-c]([a-c ,\"]{0,6}[a-c])?", 1..5)) {
        let written = list.iter().map(|item| match item.contains([',', '"']) {
            true => format!("\"{}\"", item.replace('"', "\"\"")),
            false => item.clone(),
        });
        let text = written.collect::<Vec<_>>().join(", ");
        prop_assert_eq!(items(&text, ","), list, "{}", text);
    }

    #[test]
    fn a_text_without_markup_stays_and_a_text_with_it_keeps_its_words(words in proptest::collection::vec("[a-zé<>&;]{1,5}", 1..6)) {
        let text = words.join(" ");
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let read = source::html::plain(&Cell::Text(format!("<p>{escaped}</p>")));
        prop_assert_eq!(read, Some(Cell::Text(text)));
    }
}

#[test]
fn every_name_of_a_place_is_read_to_a_code_that_has_it_or_is_none() {
    let labels = dataset::Labels::default();
    for name in snapshot::place::names() {
        let Some(code) = labels.meant("eligibleCountries", "", name.text) else { continue };
        let mut of = snapshot::place::names().iter().filter(|it| it.codes == [code.as_str()]);
        let folded = snapshot::text::fold(name.text);
        assert!(of.any(|it| snapshot::text::fold(it.text) == folded), "{} is {code}", name.text);
    }
}
