//! ANTLR's ways to report an error and to go on after it.

use super::super::Parser;
use super::token_set::TokenSet;
use crate::ast::ExprId;
use crate::lexer::{Token, TokenKind};
use crate::source::{Issue, Span};

/// How often parsing goes on after an error.
const MAX_RECOVERIES: u32 = 30;
/// How many tokens one recovery may skip.
const MAX_SKIPPED: u32 = 256;

/// A place in the grammar where an error can be found.
///
/// Being at the same place twice without progress is how endless recovery is noticed.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Place {
    End,
    Colon,
    Unary,
    Negation,
    Member,
    Optional,
    Index,
    CloseIndex,
    Arguments,
    CloseArguments,
    Primary,
    CloseParen,
    GlobalArguments,
    CloseGlobalArguments,
    Elements,
    ElementsComma,
    CloseElements,
    Entries,
    EntriesComma,
    CloseEntries,
    Fields,
    FieldsComma,
    CloseFields,
    Literal,
    FieldName,
    Field,
    FieldColon,
    Element,
    EntryColon,
}

/// Why a rule was left.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    /// An error, kept in [`Recovery::problem`], that the rule recovers from.
    Recoverable,
    /// A limit was reached: no more is read.
    Halt,
}

pub(super) type Outcome<T> = Result<T, Trouble>;

/// An error that has been found and not yet reported.
#[derive(Clone, Copy)]
struct Problem {
    place: Place,
    kind: ProblemKind,
}

#[derive(Clone, Copy)]
enum ProblemKind {
    /// The token is none of the expected.
    Mismatch { expected: TokenSet },
    /// The tokens up to this one begin nothing that the rule can be.
    NoAlternative { offending: usize },
}

/// Reads the tokens of a source that has errors.
pub(super) struct Recovery<'s> {
    /// Makes the nodes; the issues it notes are about what is within the grammar.
    pub(super) tree: Parser<'s>,
    /// What the lexer recognised; the last one is the end.
    pub(super) tokens: Vec<Token>,
    position: usize,
    /// What may follow each rule that is being read.
    follows: Vec<TokenSet>,
    pub(super) depth: u32,
    /// No error is reported until a token matches.
    pub(super) recovering: bool,
    problem: Option<Problem>,
    last_error: Option<usize>,
    /// Bits by [`Place`].
    last_places: u32,
    recoveries: u32,
    /// Where text stands that is no token.
    pub(super) invalid: Vec<Span>,
    pub(super) issues: Vec<Issue>,
}

impl<'s> Recovery<'s> {
    pub(super) fn new(tree: Parser<'s>) -> Self {
        Self {
            tree,
            tokens: Vec::new(),
            position: 0,
            follows: Vec::new(),
            depth: 0,
            recovering: false,
            problem: None,
            last_error: None,
            last_places: 0,
            recoveries: 0,
            invalid: Vec::new(),
            issues: Vec::new(),
        }
    }

    /// Reads all tokens, noting what is none.
    pub(super) fn read_tokens(&mut self) -> Outcome<()> {
        loop {
            let token = self.tree.token;
            self.tree.bump();
            match token.kind {
                TokenKind::Invalid => self.note_invalid(token)?,
                _ => self.tokens.push(token),
            }
            if token.kind == TokenKind::End {
                self.tree.previous_end = 0;
                return Ok(());
            }
        }
    }

    fn note_invalid(&mut self, token: Token) -> Outcome<()> {
        self.invalid.push(token.span());
        let text = token.text(self.tree.source);
        self.note_syntax(token, &format!("token recognition error at: '{text}'"))
    }

    /// What was found; what the nodes have shown counts only if everything was read.
    pub(super) fn into_issues(self, finished: bool) -> Vec<Issue> {
        let mut issues = self.issues;
        if finished {
            issues.extend(self.tree.issues);
        }
        issues
    }

    pub(super) fn current(&self) -> Token {
        self.ahead(0)
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.current().kind
    }

    pub(super) fn kind_ahead(&self, distance: usize) -> TokenKind {
        self.ahead(distance).kind
    }

    fn ahead(&self, distance: usize) -> Token {
        // The end stands for everything after it.
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + distance).min(last)]
    }

    /// Begins a rule after which `follow` may come; gives where it starts.
    pub(super) fn enter(&mut self, follow: TokenSet) -> u32 {
        self.follows.push(follow);
        self.current().start
    }

    /// Ends a rule, recovering from the error that ended it if there was one.
    pub(super) fn leave(&mut self, outcome: Outcome<()>) -> Outcome<()> {
        match outcome {
            Ok(()) => {}
            Err(Trouble::Recoverable) => self.report_and_recover()?,
            Err(Trouble::Halt) => return Err(Trouble::Halt),
        }
        self.follows.pop();
        Ok(())
    }

    #[cold]
    fn report_and_recover(&mut self) -> Outcome<()> {
        let Some(problem) = self.problem.take() else { return Ok(()) };
        match problem.kind {
            ProblemKind::Mismatch { expected } => {
                let text = self.shown(self.current());
                self.report(self.current(), &format!("mismatched input {text} expecting {expected}"))?;
            }
            ProblemKind::NoAlternative { offending } => self.report_no_alternative(offending)?,
        }
        self.recover(problem.place)
    }

    /// Skips to a token at which this rule's callers can go on.
    fn recover(&mut self, place: Place) -> Outcome<()> {
        self.count_recovery()?;
        let mut skipped = 0;
        let bit = 1 << place as u8;
        if self.last_error == Some(self.position) && self.last_places & bit != 0 {
            self.skip(&mut skipped)?;
        }
        self.last_error = Some(self.position);
        self.last_places |= bit;
        let follow = self.recovery_set();
        while self.kind() != TokenKind::End && !follow.contains(self.kind()) {
            self.skip(&mut skipped)?;
        }
        Ok(())
    }

    fn skip(&mut self, skipped: &mut u32) -> Outcome<()> {
        if *skipped >= MAX_SKIPPED {
            let message = format!("error recovery token lookahead limit exceeded: {MAX_SKIPPED}");
            self.note(self.current(), message);
            return Err(Trouble::Halt);
        }
        *skipped += 1;
        self.advance();
        Ok(())
    }

    fn count_recovery(&mut self) -> Outcome<()> {
        if self.recoveries == MAX_RECOVERIES {
            let message = format!("Syntax error: error recovery attempt limit exceeded: {MAX_RECOVERIES}");
            self.note(self.current(), message);
            return Err(Trouble::Halt);
        }
        self.recoveries += 1;
        Ok(())
    }

    fn recovery_set(&self) -> TokenSet {
        self.follows.iter().fold(TokenSet::EMPTY, |all, it| all.or(*it)).without_rule_end()
    }

    /// What is expected where `next` may come: past the end of the rule, what its callers expect.
    fn expected(&self, next: TokenSet) -> TokenSet {
        let mut expected = next;
        for follow in self.follows.iter().rev() {
            if !expected.has_rule_end() {
                return expected;
            }
            expected = expected.without_rule_end().or(*follow);
        }
        expected.without_rule_end()
    }

    /// Before a choice: sees that one of `next` is there.
    pub(super) fn sync(&mut self, place: Place, next: TokenSet) -> Outcome<()> {
        if self.recovering || next.has_rule_end() || next.contains(self.kind()) {
            return Ok(());
        }
        let expected = self.expected(next);
        if self.delete_token(expected)? { Ok(()) } else { self.mismatch(place, expected) }
    }

    /// After an iteration of a loop: skips what is none of `next`.
    pub(super) fn sync_loop(&mut self, next: TokenSet) -> Outcome<()> {
        if self.recovering || next.contains(self.kind()) {
            return Ok(());
        }
        let expected = self.expected(next);
        self.report_unwanted(expected)?;
        let stop = expected.or(self.recovery_set());
        while self.kind() != TokenKind::End && !stop.contains(self.kind()) {
            self.advance();
        }
        Ok(())
    }

    /// Reads a token of this kind, or does as if it were there when `next`, which may follow it, is.
    pub(super) fn expect(&mut self, kind: TokenKind, place: Place, next: TokenSet) -> Outcome<Token> {
        let token = self.current();
        if token.kind == kind {
            self.matched();
            self.advance();
            return Ok(token);
        }
        self.count_recovery()?;
        let expected = TokenSet::of(&[kind]);
        if self.delete_token(expected)? {
            let token = self.current();
            self.advance();
            return Ok(token);
        }
        if self.expected(next).contains(token.kind) {
            let text = self.shown(token);
            self.report(token, &format!("missing {expected} at {text}"))?;
            return Ok(token);
        }
        self.mismatch(place, expected)?;
        Ok(token)
    }

    /// Reads the current token, known to be right.
    pub(super) fn take(&mut self) -> Token {
        let token = self.current();
        self.matched();
        self.advance();
        token
    }

    pub(super) fn take_if(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.take();
        }
        found
    }

    fn matched(&mut self) {
        self.recovering = false;
        self.last_error = None;
        self.last_places = 0;
    }

    fn advance(&mut self) {
        let token = self.current();
        if token.kind != TokenKind::End {
            self.tree.previous_end = token.end;
            self.position += 1;
        }
    }

    /// Leaves the current token out if the one after it is expected.
    fn delete_token(&mut self, expected: TokenSet) -> Outcome<bool> {
        if !expected.contains(self.kind_ahead(1)) {
            return Ok(false);
        }
        self.report_unwanted(expected)?;
        self.advance();
        self.matched();
        Ok(true)
    }

    fn mismatch(&mut self, place: Place, expected: TokenSet) -> Outcome<()> {
        self.problem = Some(Problem { place, kind: ProblemKind::Mismatch { expected } });
        Err(Trouble::Recoverable)
    }

    /// The tokens from the current one up to that at `distance` begin nothing the rule can be.
    pub(super) fn no_alternative<T>(&mut self, place: Place, distance: usize) -> Outcome<T> {
        let offending = (self.position + distance).min(self.tokens.len() - 1);
        self.problem = Some(Problem { place, kind: ProblemKind::NoAlternative { offending } });
        Err(Trouble::Recoverable)
    }

    /// A node for what could not be read.
    pub(super) fn unspecified(&mut self, start: u32) -> ExprId {
        self.tree.add_unspecified(start, start)
    }
}
