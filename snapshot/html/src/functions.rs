//! Functions and filters of templates, and how values are written: escaped, everywhere.

use std::fmt::{self, Write};

use minijinja::value::Kwargs;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, Value, escape_formatter};
use snapshot::page::text::{escaped, push_escaped};

/// Name of the escaping of templates that end in `.md`.
pub(crate) const MARKDOWN: &str = "markdown";

/// Adds all of them.
pub(crate) fn add(environment: &mut Environment<'static>) {
    environment.add_function("tongue", tongue);
    environment.add_filter("fill", fill);
    environment.add_filter("address", address);
    environment.add_filter("encoded", encoded);
}

/// `tongue(text)`: attributes of the element of a text that may have another language than the page, its `lang`.
fn tongue(text: &Value) -> Result<Value, Error> {
    let language = text.get_attr("lang")?.as_str().map(|it| format!(" lang=\"{}\"", escaped(it)));
    Ok(Value::from_safe_string(language.unwrap_or_default() + " dir=\"auto\""))
}

/// `t.results_other | fill(n=count)`: a phrase with each `{name}` replaced. Text is escaped, captured markup is not.
#[expect(clippy::needless_pass_by_value, reason = "filters get their arguments by value")]
fn fill(state: &State<'_, '_>, phrase: &str, values: Kwargs) -> Result<Value, Error> {
    let escaping = state.auto_escape();
    let mut out = String::with_capacity(phrase.len() + 64);
    let mut rest = phrase;
    while let Some((before, after)) = rest.split_once('{') {
        escape(&mut out, escaping, before)?;
        let Some((name, after)) = after.split_once('}') else {
            return Err(Error::new(
                ErrorKind::InvalidOperation,
                format!("`{phrase}` has no `}}` after its `{{`"),
            ));
        };
        let value: Value = values.get(name)?;
        match value.as_str().filter(|_| !value.is_safe()) {
            Some(text) => escape(&mut out, escaping, text)?,
            None => write!(out, "{value}")?,
        }
        rest = after;
    }
    escape(&mut out, escaping, rest)?;
    Ok(Value::from_safe_string(out))
}

/// `href | address`: an address between angle brackets in Markdown, where nothing is escaped (CommonMark, section 6.5).
fn address(address: &str) -> Value {
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    Value::from_safe_string(address.replace('<', "%3C").replace('>', "%3E").replace(is_space, "%20"))
}

/// `title | encoded`: a text as part of an address (RFC 3986, section 2.1).
fn encoded(text: &str) -> String {
    let encoded: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    encoded.replace('+', "%20")
}

/// Writes a value as templates of its kind have it.
pub(crate) fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => Ok(escape(out, state.auto_escape(), text)?),
        None if value.is_safe() || *state.auto_escape() == AutoEscape::Html => {
            escape_formatter(out, state, value)
        }
        None => Ok(write!(out, "{value}")?),
    }
}

fn escape(out: &mut impl Write, escaping: &AutoEscape, text: &str) -> fmt::Result {
    match escaping {
        AutoEscape::Custom(name) if name == MARKDOWN => escape_markdown(out, text),
        _ => push_escaped(out, text),
    }
}

/// Writes a text so that CommonMark shows it as it is: what begins markup within a line is escaped (sections 6.1 to
/// 6.6), and what begins a block at the start of a line (sections 4 and 5). Underscores inside words begin nothing.
fn escape_markdown(out: &mut impl Write, text: &str) -> fmt::Result {
    let (mut before, mut is_start, mut from) = (' ', true, 0);
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let next = rest.chars().next();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let reference = match c {
            '<' => "&lt;",
            '>' if is_start => "&gt;",
            '&' if is_reference(rest) => "&amp;",
            '\\' | '`' | '*' | '[' | ']' => "\\",
            '_' if !is_word(Some(before)) || !is_word(next) => "\\",
            _ if is_start && begins_block(c, next) => "\\",
            '.' | ')' if next.is_none_or(char::is_whitespace) && is_list_number(&text[..at]) => "\\",
            _ => "",
        };
        if !reference.is_empty() {
            out.write_str(&text[from..at])?;
            out.write_str(reference)?;
            from = at + usize::from(reference != "\\");
        }
        is_start = c == '\n' || is_start && c == ' ';
        before = c;
    }
    out.write_str(&text[from..])
}

/// Whether a line that begins with two characters may be a heading, a list item, a rule, a fence or a table.
fn begins_block(first: char, next: Option<char>) -> bool {
    match first {
        '#' | '+' | '-' | '=' => next.is_none_or(|next| next.is_whitespace() || next == first),
        '~' => next == Some('~'),
        first => first == '|',
    }
}

/// Whether what follows an ampersand makes it a character reference.
fn is_reference(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    length > 0 && name[length..].starts_with(';')
}

/// Whether a text ends in a line of digits alone, after which `.` and `)` begin an ordered list.
fn is_list_number(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or(text).trim_start_matches(' ');
    (1..=9).contains(&line.len()) && line.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> String {
        let mut out = String::new();
        escape_markdown(&mut out, text).unwrap();
        out
    }

    #[test]
    fn markup_in_a_text_is_no_markup_in_markdown() {
        assert_eq!(markdown("<script>alert(1)</script>"), "&lt;script>alert(1)&lt;/script>");
        assert_eq!(markdown("[x](javascript:1) *a* `b` \\"), "\\[x\\](javascript:1) \\*a\\* \\`b\\` \\\\");
        let expected = "\\# A\n\\- b\n&gt; c\n1\\. d\n12\\) e\n\\---";
        assert_eq!(markdown("# A\n- b\n> c\n1. d\n12) e\n---"), expected);
    }

    #[test]
    fn what_begins_no_markup_stays_as_it_is() {
        let texts =
            ["R&D snake_case a > b, 3.5 & 4; a?b&c=d 2026-27", "0.2", "-5 °C", "~Jan 15", "#3 of 4", "(1) x"];
        for text in texts {
            assert_eq!(markdown(text), text);
        }
        assert_eq!(markdown("_x_ &lt; &#60;"), "\\_x\\_ &amp;lt; &amp;#60;");
    }

    #[test]
    fn a_phrase_escapes_text_and_keeps_markup() {
        let mut environment = Environment::new();
        add(&mut environment);
        environment.set_formatter(format);
        let template = "{% set b %}<b>{{ x }}</b>{% endset %}{{ '<{n}: {b}' | fill(n=x, b=b) }}";
        environment.add_template("a.html", template).unwrap();
        let page = environment.get_template("a.html").unwrap().render(minijinja::context! { x => "<" });
        assert_eq!(page.unwrap(), "&lt;&lt;: <b>&lt;</b>");
    }
}
