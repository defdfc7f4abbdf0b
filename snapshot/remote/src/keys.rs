//! Whose word about a store is taken.

use minisign_verify::{PublicKey, Signature};

use crate::error::RemoteError;

/// Signs a line; gives the text of a signature as minisign has it.
pub type SignFn<'a> = &'a dyn Fn(&[u8]) -> Result<String, String>;

/// Who is believed.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    keys: Vec<(String, PublicKey)>,
    /// Whether what nobody signed is believed too.
    pub unsigned: bool,
}

/// The name under which what nobody signed is remembered.
pub(crate) const UNSIGNED: &str = "unsigned";

impl Trust {
    /// Believes these public keys, each in one line as minisign writes it.
    ///
    /// # Errors
    ///
    /// If one of them is none.
    pub fn of(keys: &[String], unsigned: bool) -> Result<Self, RemoteError> {
        let read = |text: &String| match PublicKey::from_base64(text.trim()) {
            Ok(key) => Ok((text.trim().to_owned(), key)),
            Err(_) => Err(RemoteError::Key { text: text.clone() }),
        };
        Ok(Self { keys: keys.iter().map(read).collect::<Result<_, _>>()?, unsigned })
    }

    /// Whether nobody at all would be believed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.unsigned
    }

    /// The key that signed a line, or [`UNSIGNED`] if none had to.
    pub(crate) fn judge(&self, place: &str, line: &[u8], signature: &str) -> Result<String, RemoteError> {
        let untrusted = |problem: &'static str| RemoteError::Untrusted { place: place.to_owned(), problem };
        if signature.is_empty() {
            return match self.unsigned {
                true => Ok(UNSIGNED.to_owned()),
                false => Err(untrusted("CURRENT is not signed; name a store that is, or --allow-unsigned")),
            };
        }
        if self.keys.is_empty() && self.unsigned {
            return Err(untrusted("CURRENT is signed; name the key that you trust with --trust"));
        }
        let signature = Signature::decode(signature)
            .map_err(|_| untrusted("what stands below line 1 of CURRENT is no signature"))?;
        let signed = |(_, key): &&(String, PublicKey)| key.verify(line, &signature, false).is_ok();
        let by = self.keys.iter().find(signed);
        by.map(|(text, _)| text.clone()).ok_or_else(|| {
            untrusted("CURRENT is not signed by a key that is trusted; name the right one with --trust, or look who writes there")
        })
    }
}
