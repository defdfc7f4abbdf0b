//! The prompt `find_best_opportunities`: instructions for a workflow, with the client's arguments quoted in it.

use crate::arguments::ToolError;
use crate::contract::PromptTexts;
use crate::envelope::{Message, arguments, string};
use crate::reply::{RpcError, json, push, shown};

/// Name of the prompt.
pub(crate) const NAME: &str = "find_best_opportunities";
/// Languages of its text.
pub(crate) const LOCALES: [&str; 2] = ["en", "es"];

const DESCRIPTION: &str = "Interview-led matching: clarifies the applicant's situation, searches, verifies every candidate record, then ranks.";
/// Arguments that the text quotes.
const QUOTED: [&str; 3] = ["goal", "applicant", "constraints"];
/// Longest argument, in characters.
const ARGUMENT_MAX: usize = 500;

/// Answers `prompts/get`.
pub(crate) fn get(texts: &PromptTexts, message: &Message<'_>, out: &mut Vec<u8>) -> Result<(), ToolError> {
    let name = message.param("name").and_then(string);
    let name = name.ok_or_else(|| RpcError::params("prompts/get needs name, a string"))?;
    if name != NAME {
        return Err(RpcError::params(format!("Unknown prompt: {}. Prompts: {NAME}", shown(&name))).into());
    }
    let arguments = arguments(message.param("arguments"))?;
    let argument = |name: &'static str| {
        let Some(value) = arguments.get(name) else { return Ok(None) };
        let text = string(value).filter(|text| text.chars().nth(ARGUMENT_MAX).is_none());
        let wrong = || format!("{name} must be a string of at most {ARGUMENT_MAX} characters");
        text.map(Some).ok_or_else(|| RpcError::params(wrong()))
    };
    let mut known = Vec::new();
    for name in QUOTED {
        if let Some(value) = argument(name)?.filter(|value| !value.trim().is_empty()) {
            known.push(format!("{}:{}", json(name), json(value.as_ref())));
        }
    }
    let known = format!("{{{}}}", known.join(","));
    let text = match argument("locale")?.as_deref().map(str::trim) {
        None | Some("" | "en") => &texts.en,
        Some("es") => &texts.es,
        Some(_) => return Err(RpcError::params("locale must be \"en\" or \"es\"").into()),
    };
    let text = json(&text.replacen("{known}", &known, 1));
    push(out, format_args!("\"description\":{},\"messages\":[", json(DESCRIPTION)));
    push(out, format_args!("{{\"role\":\"user\",\"content\":{{\"type\":\"text\",\"text\":{text}}}}}]"));
    Ok(())
}
