//! The report of a link checker, as `lychee --format json` writes it: addresses that fail, and those that moved for good.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use serde::Deserialize;
use url::Url;

/// What a link checker found, by address.
#[derive(Debug)]
pub struct LinkReport(HashMap<String, Finding>);

/// The state of an address.
#[derive(Debug)]
pub(crate) enum Finding {
    /// With the reason.
    Dead(String),
    /// To this address.
    Moved(String),
}

/// The members of a report that are used; each list belongs to one input of the checker.
#[derive(Deserialize)]
struct Report {
    error_map: BTreeMap<String, Vec<Failed>>,
    #[serde(default)]
    redirect_map: BTreeMap<String, Vec<Redirects>>,
}

#[derive(Deserialize)]
struct Failed {
    url: String,
    status: Status,
}

#[derive(Deserialize)]
struct Status {
    text: String,
}

#[derive(Deserialize)]
struct Redirects {
    origin: String,
    redirects: Vec<Redirect>,
}

#[derive(Deserialize)]
struct Redirect {
    url: String,
    code: u16,
}

impl LinkReport {
    /// Reads a report.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no report.
    pub fn read(path: &Path) -> io::Result<Self> {
        let wrong = |problem: String| io::Error::other(format!("{}: {problem}", path.display()));
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let expected = "expected the report of `lychee --format json`, with `error_map`";
        Self::parse(&bytes).map_err(|error| wrong(format!("{expected}: {error}")))
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let report: Report = serde_json::from_slice(bytes)?;
        // Only permanent redirects say that the old address is to be replaced (RFC 9110 §15.4.2, §15.4.9).
        let is_permanent = |it: &Redirects| it.redirects.iter().all(|hop| matches!(hop.code, 301 | 308));
        let moved = report.redirect_map.into_values().flatten().filter(is_permanent);
        let moved = moved.filter_map(|mut it| Some((it.origin, Finding::Moved(it.redirects.pop()?.url))));
        let dead = report.error_map.into_values().flatten();
        // A redirect to an address that fails is dead.
        let dead = dead.map(|failed| (failed.url, Finding::Dead(failed.status.text)));
        Ok(Self(moved.chain(dead).collect()))
    }

    /// What was found of an address, in the spelling that checkers give it.
    pub(crate) fn find(&self, address: &str) -> Option<&Finding> {
        self.0.get(address).or_else(|| self.0.get(Url::parse(address).ok()?.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the shape of lychee 0.24.
    const REPORT: &str = r#"{
        "total": 5, "errors": 2,
        "error_map": {"data/programs.csv": [
            {"url": "https://gone.example/", "status": {"text": "404 Not Found", "code": 404}},
            {"url": "https://moved.example/gone", "status": {"text": "Network error", "details": "no such host"}}
        ]},
        "timeout_map": {"data/programs.csv": [{"url": "https://slow.example/", "status": {"text": "Timeout"}}]},
        "redirect_map": {"data/programs.csv": [
            {"origin": "https://moved.example/", "redirects": [
                {"url": "https://new.example/", "code": 308}, {"url": "https://new.example/en", "code": 301}]},
            {"origin": "https://login.example/", "redirects": [{"url": "https://login.example/x", "code": 302}]},
            {"origin": "https://moved.example/gone", "redirects": [{"url": "https://new.example/", "code": 301}]}
        ]}
    }"#;

    #[test]
    fn failures_and_permanent_redirects_are_found_by_any_spelling_of_the_address() {
        let report = LinkReport::parse(REPORT.as_bytes()).unwrap();
        let found = |address| match report.find(address) {
            Some(Finding::Dead(reason)) => format!("dead: {reason}"),
            Some(Finding::Moved(to)) => format!("moved: {to}"),
            None => String::new(),
        };
        assert_eq!(found("https://gone.example"), "dead: 404 Not Found");
        assert_eq!(found("HTTPS://Gone.example/"), "dead: 404 Not Found");
        assert_eq!(found("https://moved.example/"), "moved: https://new.example/en");
        assert_eq!(found("https://moved.example/gone"), "dead: Network error");
        let others =
            ["https://slow.example/", "https://login.example/", "https://fine.example/", "no address"];
        for other in others {
            assert_eq!(found(other), "", "{other}");
        }
    }

    #[test]
    fn what_is_no_report_is_an_error() {
        for text in ["", "[]", "{}", r#"{"error_map": []}"#, "404: Not Found"] {
            assert!(LinkReport::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
