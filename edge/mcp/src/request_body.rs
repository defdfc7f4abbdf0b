//! Request bodies: read whole, within bytes and time.
//!
//! A body that is too long is read to its end and discarded before it is refused: many clients write
//! the whole body before they read the response.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use hyper::body::Body;

use crate::reply::RpcError;

/// Longest body that is answered.
pub(crate) const BODY_MAX: usize = 64 * 1024;
/// Longest body that is read to its end.
const DRAIN_MAX: usize = 4 * 1024 * 1024;

/// Reads a body.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: &mut (impl Body<Data = Bytes> + Unpin),
    deadline: Duration,
) -> Result<Bytes, RpcError> {
    let too_long = declared(headers).is_some_and(|length| length > BODY_MAX as u64);
    if too_long && headers.contains_key(header::EXPECT) {
        // The client waits for `100 Continue` and has sent no body yet.
        return Err(RpcError::too_large(BODY_MAX, true));
    }
    let (mut gathered, mut length) = (BytesMut::new(), 0usize);
    let all = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| RpcError::parse("the body broke off"))?;
            let Ok(data) = frame.into_data() else { continue };
            length = length.saturating_add(data.len());
            if length > DRAIN_MAX {
                return Err(RpcError::too_large(BODY_MAX, true));
            }
            if length <= BODY_MAX {
                gathered.extend_from_slice(&data);
            }
        }
        Ok(())
    };
    match tokio::time::timeout(deadline, all).await {
        Ok(fault) => fault?,
        Err(_) if length > BODY_MAX => return Err(RpcError::too_large(BODY_MAX, true)),
        Err(_) => {
            let message = "The request body did not arrive in time";
            return Err(RpcError::transport(StatusCode::REQUEST_TIMEOUT, message));
        }
    }
    if length > BODY_MAX { Err(RpcError::too_large(BODY_MAX, false)) } else { Ok(gathered.freeze()) }
}

/// `Content-Length` of a request.
pub(crate) fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
