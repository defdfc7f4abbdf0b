//! Rolling out: a generation that some edges take before all do, and what becomes of it. Each step is one write of
//! CURRENT under a condition; nothing else is sent, for all of the generation is there since its push.

use crate::current::{self, Current, FetchedCurrent, Next};
use crate::error::RemoteError;
use crate::publish::Publisher;
use crate::uploads;

/// What comes next of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many of a hundred edges take it.
    Percent(u8),
    /// All do: it is live.
    Promote,
    /// None does: those that took it go back to what is live.
    Abort,
}

impl Publisher<'_> {
    /// Takes a step; gives CURRENT as it is then.
    ///
    /// # Errors
    ///
    /// If no rollout is under way, somebody else was faster, or the store cannot be read or written. CURRENT stays as
    /// it was then.
    pub async fn roll_out(&self, step: Step) -> Result<FetchedCurrent, RemoteError> {
        let place = self.target.place();
        let Some(read) = current::fetch(self.target, self.trust, None).await? else {
            return Err(RemoteError::Empty { place });
        };
        let Some(next) = read.pointer.next.clone() else {
            return Err(RemoteError::NoRollout { place, live: read.pointer.live.generation });
        };
        let after = match step {
            Step::Percent(percent) if percent == next.percent => return Ok(read),
            Step::Percent(percent) => {
                Current { next: Some(Next { percent, ..next }), ..read.pointer.clone() }
            }
            Step::Promote => read.pointer.with_live(next.named),
            Step::Abort => read.pointer.without(&next),
        };
        if after.retained != read.pointer.retained
            && let Some(goes) = self.goes(Some(&read)).await?
        {
            uploads::change(self.target, |entries| entries.push(goes.clone())).await?;
        }
        let pointer = Current { version: read.pointer.version + 1, ..after };
        self.point(Some(&read), &pointer).await
    }
}
