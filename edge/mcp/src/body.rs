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
pub(crate) async fn read<B>(headers: &HeaderMap, body: &mut B, deadline: Duration) -> Result<Bytes, RpcError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let too_long = declared(headers).is_some_and(|length| length > BODY_MAX as u64);
    if too_long && headers.contains_key(header::EXPECT) {
        // The client waits for `100 Continue` and has sent no body yet.
        return Err(RpcError::too_large(BODY_MAX, true));
    }
    let mut reader = Reader { gathered: Gathered::Nothing, length: 0 };
    match tokio::time::timeout(deadline, reader.read(body)).await {
        Ok(fault) => fault?,
        Err(_) if reader.length > BODY_MAX => return Err(RpcError::too_large(BODY_MAX, true)),
        Err(_) => {
            let message = "The request body did not arrive in time";
            return Err(RpcError::transport(StatusCode::REQUEST_TIMEOUT, message));
        }
    }
    Ok(reader.gathered.finish())
}

/// `Content-Length` of a request.
pub(crate) fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

struct Reader {
    gathered: Gathered,
    length: usize,
}

impl Reader {
    async fn read<B: Body<Data = Bytes> + Unpin>(&mut self, body: &mut B) -> Result<(), RpcError> {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| RpcError::parse("the body broke off"))?;
            let Ok(data) = frame.into_data() else { continue };
            self.length = self.length.saturating_add(data.len());
            if self.length > DRAIN_MAX {
                return Err(RpcError::too_large(BODY_MAX, true));
            }
            if self.length > BODY_MAX {
                self.gathered = Gathered::Nothing;
            } else {
                self.gathered.add(data);
            }
        }
        if self.length > BODY_MAX { Err(RpcError::too_large(BODY_MAX, false)) } else { Ok(()) }
    }
}

/// What was read. Nearly every body comes in one piece, which is not copied.
enum Gathered {
    Nothing,
    One(Bytes),
    Many(BytesMut),
}

impl Gathered {
    fn add(&mut self, data: Bytes) {
        *self = match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => Self::One(data),
            Self::One(first) => {
                let mut all = BytesMut::from(first);
                all.extend_from_slice(&data);
                Self::Many(all)
            }
            Self::Many(mut all) => {
                all.extend_from_slice(&data);
                Self::Many(all)
            }
        };
    }

    fn finish(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::One(data) => data,
            Self::Many(all) => all.freeze(),
        }
    }
}
