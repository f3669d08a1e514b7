//! What goes wrong between a controller and its server.

use crate::random::Random;
use crate::server::{Answer, Refusal, Request, Server};

/// How often things go wrong, in a thousand times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// A request is refused (409, 429, 500) or its answer is lost.
    pub request: usize,
    /// A watch breaks, and everything is listed anew.
    pub watch: usize,
    /// The controller is killed and another starts.
    pub kill: usize,
    /// The controller is killed in the middle of a request.
    pub kill_in_request: usize,
}

/// What a controller hears of a request.
#[derive(Debug)]
pub enum Outcome {
    /// The server's words, or none.
    Heard(Result<Answer, Refusal>),
    /// It is dead before it hears anything.
    Killed,
}

impl Faults {
    /// Performs a request as well as luck allows.
    pub fn perform(&self, server: &mut Server, request: &Request, random: &mut Random) -> Outcome {
        if random.happens(self.kill_in_request) {
            if random.happens(500) {
                drop(server.perform(request));
            }
            return Outcome::Killed;
        }
        if !random.happens(self.request) {
            return Outcome::Heard(server.perform(request));
        }
        Outcome::Heard(Err(match random.below(5) {
            0 => Refusal::Conflict("the object has been modified".to_owned()),
            1 => Refusal::TooMany,
            2 => Refusal::Internal,
            3 => Refusal::TimedOut,
            _ => {
                drop(server.perform(request));
                Refusal::TimedOut
            }
        }))
    }
}
