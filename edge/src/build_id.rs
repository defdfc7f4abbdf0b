//! Identifies the build of this program for ETags: computed answers depend on data and code, so a new build must not
//! validate answers of another one, even if data and version are the same.

use std::fs::File;
use std::io::{self, Read};
use std::sync::OnceLock;

use store::{Body, Hex};

use crate::clock;

/// Eight hex digits of the executable's hash.
pub(crate) fn id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        // The running executable, even if its file has been replaced since.
        let running = File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?));
        running.and_then(hash_of).unwrap_or_else(|error| {
            // An id of its own for each start: clients then get every answer again.
            tracing::warn!(%error, "the program cannot read itself; its ETags hold until it ends");
            format!("{:08x}", clock::now() & 0xffff_ffff)
        })
    })
}

fn hash_of(mut program: impl Read) -> io::Result<String> {
    Ok(Hex(&Body::of_reader(&mut program)?.sha256.0[..4]).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_other_byte_is_another_program() {
        let program = vec![7; 1 << 19];
        let [mut mended, mut longer] = [program.clone(), program.clone()];
        mended[400_000] = 8;
        longer.push(7);
        let ids = [&program, &mended, &longer].map(|program| hash_of(program.as_slice()).unwrap());
        assert_eq!(ids[0], hash_of(program.as_slice()).unwrap());
        assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2], "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == 8));
    }
}
