//! Keys and signatures of publications, in the format of minisign. Secret keys have no password, as publishing is
//! automatic: their files must be kept secret.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Cursor, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox, SignatureBox};
use remote::secrets::shown_key;

use crate::exit_codes::{Failure, fail};

/// Environment variable with the text of a secret key.
const KEY_VARIABLE: &str = "OPDIR_KEY";

/// Permissions of other users.
const OTHERS: u32 = 0o077;

/// Prints why a key is invalid or cannot be used.
fn invalid(of: impl Display, problem: impl Display) -> Failure {
    fail(Failure::Usage, format_args!("{of}: {problem}"))
}

/// Prints why a file cannot be read, or written.
fn at(path: &Path, failure: Failure) -> impl FnOnce(io::Error) -> Failure {
    move |error| fail(failure, format_args!("{}: {error}", path.display()))
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(at(path, Failure::Input))
}

/// Creates a key pair: the secret key in a new file that only its owner can read, the public key in a `.pub` file.
/// Returns the public key in one line.
pub(crate) fn new(path: &Path) -> Result<String, Failure> {
    let pair = KeyPair::generate_unencrypted_keypair().map_err(|error| invalid(path.display(), error))?;
    let secret = pair.sk.to_box(None).map_err(|error| invalid(path.display(), error))?;
    let public = pair.pk.to_box().map_err(|error| invalid(path.display(), error))?;
    let put = |path: PathBuf, mode: u32, text: String| {
        let file = File::options().write(true).create_new(true).mode(mode).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(at(&path, Failure::Output))
    };
    put(path.to_owned(), 0o600, secret.into_string())?;
    // Without its public key the secret one is of no use, and blocks the next attempt.
    put(path.with_added_extension("pub"), 0o644, public.into_string())
        .inspect_err(|_| drop(fs::remove_file(path)))?;
    Ok(pair.pk.to_base64())
}

/// The public key of a secret key, in one line.
pub(crate) fn public(path: Option<&Path>) -> Result<String, Failure> {
    let secret = secret(path)?;
    let public = PublicKey::from_secret_key(&secret).map_err(|error| invalid("the secret key", error))?;
    Ok(public.to_base64())
}

/// The text of a secret key in a file that, as for ssh, no other user may read if it is this user's.
fn read_secret(path: &Path) -> Result<String, Failure> {
    let (text, shown) = (path.to_string_lossy(), shown_key(&path.to_string_lossy()));
    if !path.exists() && shown != text {
        let problem =
            format_args!("expected the name of a file; a secret key itself belongs in {KEY_VARIABLE}");
        return Err(invalid(shown, problem));
    }
    let found = fs::metadata(path).map_err(at(path, Failure::Input))?;
    let is_ours = found.uid() == rustix::process::getuid().as_raw();
    if found.is_file() && is_ours && found.mode() & OTHERS != 0 {
        let mode = found.mode() & 0o777;
        let problem =
            format!("other users may use this secret key (mode {mode:04o}): chmod 600 {}", path.display());
        return Err(invalid(path.display(), problem));
    }
    read(path)
}

/// The text of the secret key in the environment. In CI, an unset secret is an empty variable.
#[expect(
    clippy::disallowed_methods,
    reason = "a secret must not be an argument, and clap reads no variable without one"
)]
fn key_in_environment() -> Option<String> {
    std::env::var(KEY_VARIABLE).ok().filter(|text| !text.trim().is_empty())
}

/// The secret key in a file, or else in the environment.
fn secret(path: Option<&Path>) -> Result<SecretKey, Failure> {
    let (source_name, text) = match path {
        Some(path) => (path.display().to_string(), read_secret(path)?),
        None => {
            let missing =
                || invalid("no secret key", format_args!("name its file with --key, or set {KEY_VARIABLE}"));
            (KEY_VARIABLE.to_owned(), key_in_environment().ok_or_else(missing)?)
        }
    };
    let boxed = SecretKeyBox::from_string(&text).map_err(|error| invalid(&source_name, error))?;
    let help = "a key with a password cannot be used here, `opdir keys new` makes one without";
    let secret = boxed.into_unencrypted_secret_key();
    secret.map_err(|error| invalid(&source_name, format_args!("{error}; {help}")))
}

/// Signs bytes with the secret key in a file, or else in the environment.
pub(crate) fn signer(
    key: Option<&Path>,
) -> Result<impl Fn(&[u8]) -> Result<String, String> + use<>, Failure> {
    let secret = secret(key)?;
    Ok(move |line: &[u8]| {
        let signed =
            minisign::sign(None, &secret, Cursor::new(line), Some("CURRENT"), Some("signed by opdir"));
        signed.map(SignatureBox::into_string).map_err(|error| error.to_string())
    })
}

/// Whether a key is named or in the environment.
pub(crate) fn has_key(key: Option<&Path>) -> bool {
    key.is_some() || key_in_environment().is_some()
}

/// A trusted key in one line, given as such or as a file.
pub(crate) fn trusted_line(text: &str) -> Result<String, Failure> {
    let key = PublicKey::from_base64(text.trim()).or_else(|_| {
        let path = Path::new(text);
        if !path.exists() {
            return Err(invalid(shown_key(text), "neither a public key nor a file that contains one"));
        }
        let lines = read(path)?;
        let line = lines.lines().find(|line| !line.starts_with("untrusted comment:")).unwrap_or_default();
        PublicKey::from_base64(line).map_err(|error| invalid(text, error))
    })?;
    Ok(key.to_base64())
}
