//! DetailsResponse: whole answers of several records, as their own addresses give them.

use crate::page::json::push_items;
use crate::page::push_json;

/// Joins answers; `missing` and `invalid` are pairs as `meta.invalid` has them.
pub fn join(bodies: &[impl AsRef<[u8]>], missing: &[String], invalid: &[String]) -> Vec<u8> {
    let mut out = Vec::with_capacity(200 + bodies.iter().map(|body| body.as_ref().len() + 1).sum::<usize>());
    out.extend_from_slice(b"{\"data\":[");
    push_items(&mut out, bodies, |body, out| out.extend_from_slice(body.as_ref()));
    out.extend_from_slice(format!("],\"meta\":{{\"count\":{},\"missing\":", bodies.len()).as_bytes());
    push_json(&mut out, &missing);
    out.extend_from_slice(b",\"invalid\":");
    push_json(&mut out, &invalid);
    out.extend_from_slice(b"}}");
    out
}
