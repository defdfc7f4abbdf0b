//! The report of a link checker, as `lychee --format json` writes it: addresses that fail, and those that moved for good.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::diagnostics::Code;
use crate::text::quoted;

/// What a link checker found, by address: the rule, and what is wrong in words that follow the address.
#[derive(Debug)]
pub struct LinkReport(HashMap<String, (Code, String)>);

/// The members of a report that are used; each list belongs to one input of the checker.
#[derive(Deserialize)]
struct Report {
    error_map: BTreeMap<String, Vec<Value>>,
    #[serde(default)]
    redirect_map: BTreeMap<String, Vec<Value>>,
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
        let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
        // Only permanent redirects say that the old address is to be replaced (RFC 9110 §15.4.2, §15.4.9).
        let is_permanent = |hop: &Value| matches!(hop["code"].as_u64(), Some(301 | 308));
        let moved = report.redirect_map.values().flatten().filter_map(|it| {
            let hops = it["redirects"].as_array().filter(|hops| hops.iter().all(is_permanent))?;
            let to = quoted(&text(&hops.last()?["url"]));
            Some((text(&it["origin"]), (Code::MovedLink, format!("has moved to {to}"))))
        });
        // A redirect to an address that fails is dead.
        let dead = report.error_map.values().flatten().map(|it| {
            let reason = text(&it["status"]["text"]);
            (text(&it["url"]), (Code::DeadLink, format!("fails: {reason}")))
        });
        Ok(Self(moved.chain(dead).collect()))
    }

    /// What was found of an address, in the spelling that checkers give it.
    pub(crate) fn find(&self, address: &str) -> Option<&(Code, String)> {
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
        let found = |address| report.find(address).map_or("", |(_, what)| what);
        assert_eq!(found("https://gone.example"), "fails: 404 Not Found");
        assert_eq!(found("HTTPS://Gone.example/"), "fails: 404 Not Found");
        assert_eq!(found("https://moved.example/"), "has moved to `https://new.example/en`");
        assert_eq!(found("https://moved.example/gone"), "fails: Network error");
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
