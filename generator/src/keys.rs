//! Keys and signatures in the format of minisign, so that whoever has that tool can check what was signed here.
//! Secret keys have no password: a machine that publishes has nobody to type one, and keeps the file secret instead.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Cursor, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use dataset::text::printable;
use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox, SignatureBox};

/// Environment variable that may hold the text of a secret key.
pub const KEY_VARIABLE: &str = "OPDIR_KEY";

/// Longest text that is shown where a public key, of 56 letters, or a path was expected.
const LONGEST: usize = 150;

/// Whose problem it is that there is no key.
const NO_KEY: &str = "no secret key";

/// Why nothing was signed or believed.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// As reported.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// As reported.
        source: io::Error,
    },
    /// What should be a key is none, or one that cannot be used.
    #[error("{whose}: {problem}")]
    Key {
        /// Where it came from.
        whose: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The signature is not by a key that is trusted, or not of this file.
    #[error("{}: {problem}", path.display())]
    Untrusted {
        /// What was signed.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

fn key(whose: impl Display, problem: impl Display) -> KeyError {
    KeyError::Key { whose: whose.to_string(), problem: problem.to_string() }
}

/// A path with something added to its end.
fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn read(path: &Path) -> Result<String, KeyError> {
    fs::read_to_string(path).map_err(|source| KeyError::Read { path: path.to_owned(), source })
}

/// Makes a key pair: the secret key in a new file for its owner alone, the public one beside it as `.pub`. Gives
/// the public key in one line.
///
/// # Errors
///
/// If one of the files is there, or the system refuses to write.
pub fn new(path: &Path) -> Result<String, KeyError> {
    let pair = KeyPair::generate_unencrypted_keypair().map_err(|error| key(path.display(), error))?;
    let secret = pair.sk.to_box(None).map_err(|error| key(path.display(), error))?;
    let public = pair.pk.to_box().map_err(|error| key(path.display(), error))?;
    let put = |path: PathBuf, mode: u32, text: String| {
        let file = File::options().write(true).create_new(true).mode(mode).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|source| KeyError::Write { path, source })
    };
    put(path.to_owned(), 0o600, secret.into_string())?;
    // Half a pair is of no use, and in the way of the next one.
    put(with(path, ".pub"), 0o644, public.into_string()).inspect_err(|_| drop(fs::remove_file(path)))?;
    Ok(pair.pk.to_base64())
}

/// The public key of a secret one, in one line.
///
/// # Errors
///
/// If the secret key cannot be read or used.
pub fn public(path: Option<&Path>) -> Result<String, KeyError> {
    let secret = secret(path)?;
    let public = PublicKey::from_secret_key(&secret).map_err(|error| key("the secret key", error))?;
    Ok(public.to_base64())
}

/// A secret key from a file, or else from the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "a secret may not be an argument, and clap reads no variable without one"
)]
fn secret(path: Option<&Path>) -> Result<SecretKey, KeyError> {
    let (whose, text) = match path {
        Some(path) => (path.display().to_string(), read(path)?),
        // A secret that is not set is an empty variable in CI.
        None => match std::env::var(KEY_VARIABLE).ok().filter(|text| !text.trim().is_empty()) {
            Some(text) => (KEY_VARIABLE.to_owned(), text),
            None => {
                return Err(key(NO_KEY, format_args!("name its file with --key, or set {KEY_VARIABLE}")));
            }
        },
    };
    let boxed = SecretKeyBox::from_string(&text).map_err(|error| key(&whose, error))?;
    boxed.into_unencrypted_secret_key().map_err(|error| {
        key(
            &whose,
            format_args!(
                "{error}; a key with a password cannot be used here, `opdir keys new` makes one without"
            ),
        )
    })
}

/// Signs a file; the signature is beside it as `.minisig`.
///
/// # Errors
///
/// If the key cannot be used, the file cannot be read, or the signature cannot be written.
pub fn sign(path: &Path, by: Option<&Path>) -> Result<PathBuf, KeyError> {
    let secret = secret(by)?;
    let file = File::open(path).map_err(|source| KeyError::Read { path: path.to_owned(), source })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // No time: what is signed says when it was made, and the same file has one comment.
    let trusted = format!("file:{name}");
    let signature = minisign::sign(None, &secret, file, Some(&trusted), Some("signed by opdir"));
    let signature = signature.map_err(|error| key(path.display(), error))?;
    let beside = with(path, ".minisig");
    let written = fs::write(&beside, signature.into_string());
    written.map_err(|source| KeyError::Write { path: beside.clone(), source })?;
    Ok(beside)
}

/// Checks the signature beside a file; gives the key that it is by, one of those that are trusted: each a public
/// key in one line, or a file that holds one.
///
/// # Errors
///
/// If the file or its signature cannot be read, a trusted key is none, or none of them signed just this.
pub fn verify(path: &Path, trusted: &[String]) -> Result<String, KeyError> {
    let keys: Vec<PublicKey> = trusted.iter().map(|text| trusted_key(text)).collect::<Result<_, _>>()?;
    let bytes = fs::read(path).map_err(|source| KeyError::Read { path: path.to_owned(), source })?;
    let untrusted = |problem: String| KeyError::Untrusted { path: path.to_owned(), problem };
    let signature = read(&with(path, ".minisig"))?;
    let signature = SignatureBox::from_string(&signature);
    let signature = signature.map_err(|error| untrusted(format!("its signature is none: {error}")))?;
    let Some(by) = keys.iter().find(|key| key.keynum() == signature.keynum()) else {
        return Err(untrusted(
            "signed by a key that is not trusted; name the right one with --trust".to_owned(),
        ));
    };
    match minisign::verify(by, &signature, Cursor::new(bytes), true, false, false) {
        Ok(()) => Ok(by.to_base64()),
        Err(_) => Err(untrusted("is not what was signed".to_owned())),
    }
}

/// Signs what is at hand with a key from a file, or else from the environment.
///
/// # Errors
///
/// If there is no key that can be used.
pub fn signer(by: Option<&Path>) -> Result<impl Fn(&[u8]) -> Result<String, String> + use<>, KeyError> {
    let secret = secret(by)?;
    Ok(move |line: &[u8]| {
        let signed =
            minisign::sign(None, &secret, Cursor::new(line), Some("CURRENT"), Some("signed by opdir"));
        signed.map(SignatureBox::into_string).map_err(|error| error.to_string())
    })
}

/// Whether a key is named, or stands in the environment.
#[must_use]
pub fn has_key(by: Option<&Path>) -> bool {
    by.is_some() || !matches!(secret(None), Err(KeyError::Key { whose, .. }) if whose == NO_KEY)
}

/// A trusted key in one line: as it stands, or from a file.
///
/// # Errors
///
/// If it is none.
pub fn trusted_line(text: &str) -> Result<String, KeyError> {
    trusted_key(text).map(|key| key.to_base64())
}

fn trusted_key(text: &str) -> Result<PublicKey, KeyError> {
    PublicKey::from_base64(text.trim()).or_else(|_| {
        let path = Path::new(text);
        if !path.exists() {
            // What is longer than a public key may be a secret one, which does not belong into a log.
            let shown = if text.trim().len() > LONGEST { "what --trust names" } else { text };
            return Err(key(printable(shown), "neither a public key nor a file that holds one"));
        }
        let lines = read(path)?;
        let line = lines.lines().find(|line| !line.starts_with("untrusted comment:")).unwrap_or_default();
        PublicKey::from_base64(line).map_err(|error| key(text, error))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    use super::*;

    /// A folder with a key and a file that it signed.
    fn signed() -> (tempfile::TempDir, PathBuf, PathBuf, String) {
        let folder = tempfile::tempdir().unwrap();
        let (secret, file) = (folder.path().join("key"), folder.path().join("manifest.json"));
        let public = new(&secret).unwrap();
        fs::write(&file, "what is published").unwrap();
        assert_eq!(sign(&file, Some(&secret)).unwrap(), folder.path().join("manifest.json.minisig"));
        (folder, secret, file, public)
    }

    #[test]
    fn a_signature_is_believed_of_a_trusted_key_and_of_these_bytes_only() {
        let (folder, secret, file, key) = signed();
        assert_eq!(public(Some(&secret)).unwrap(), key);
        let stranger = new(&folder.path().join("other")).unwrap();
        let in_file = folder.path().join("key.pub").to_string_lossy().into_owned();
        for trusted in [vec![key.clone()], vec![stranger.clone(), key.clone()], vec![in_file]] {
            assert_eq!(verify(&file, &trusted).unwrap(), key);
        }
        let told = |trusted: &[String]| verify(&file, trusted).unwrap_err().to_string();
        assert!(told(&[stranger]).contains("not trusted"));
        assert!(told(&["nobody".to_owned()]).contains("neither a public key nor a file"));
        fs::write(&file, "what is Published").unwrap();
        assert!(told(std::slice::from_ref(&key)).contains("is not what was signed"));
        fs::write(&file, "what is published").unwrap();
        let beside = folder.path().join("manifest.json.minisig");
        let good = fs::read_to_string(&beside).unwrap();
        fs::write(&beside, good.replace("file:manifest", "file:Manifest")).unwrap();
        assert!(
            told(std::slice::from_ref(&key)).contains("is not what was signed"),
            "its comment is signed too"
        );
        fs::write(&beside, "x").unwrap();
        assert!(told(&[key]).contains("its signature is none"));
    }

    #[test]
    fn a_secret_that_is_given_for_a_public_key_is_not_shown() {
        let (_folder, secret, file, _) = signed();
        let text = fs::read_to_string(secret).unwrap();
        for text in [text.as_str(), text.lines().nth(1).unwrap()] {
            let told = verify(&file, &[text.to_owned()]).unwrap_err().to_string();
            assert_eq!(told, "what --trust names: neither a public key nor a file that holds one");
        }
    }

    #[test]
    fn half_a_pair_is_not_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("key.pub"), "another").unwrap();
        assert!(matches!(new(&folder.path().join("key")), Err(KeyError::Write { .. })));
        assert!(!folder.path().join("key").exists());
        assert_eq!(fs::read_to_string(folder.path().join("key.pub")).unwrap(), "another");
    }

    #[test]
    fn a_secret_key_is_its_owners_and_is_never_written_over() {
        let (_folder, secret, _, _) = signed();
        assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(new(&secret), Err(KeyError::Write { .. })));
        fs::write(&secret, "no key").unwrap();
        assert!(matches!(public(Some(&secret)), Err(KeyError::Key { .. })));
    }

    #[test]
    fn the_stock_tool_believes_what_is_signed_here() {
        let (_folder, _, file, key) = signed();
        let mut command = Command::new("minisign");
        match command.args(["-V", "-q", "-P", &key, "-m"]).arg(&file).status() {
            Ok(status) => assert!(status.success()),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound, "not installed"),
        }
    }
}
