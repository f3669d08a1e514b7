//! Environments: which names, functions and macros an expression may use.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ast::Ast;
use crate::checked::Checked;
use crate::checker;
use crate::function::{Library, Message, Overload};
use crate::macros::Macro;
use crate::parser;
use crate::source::Issues;
use crate::types::Type;
use crate::value::Val;

/// The names, functions and macros that expressions may use.
///
/// Cheap to clone and to extend: what extensions do not change is shared.
#[derive(Clone, Debug)]
pub struct Env(Arc<Inner>);

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
struct Inner {
    functions: Arc<HashMap<Arc<str>, Vec<Arc<Overload>>>>,
    macros: Arc<HashMap<&'static str, Vec<Macro>>>,
    messages: Arc<HashMap<&'static str, Arc<Message>>>,
    names: HashMap<Arc<str>, Global>,
    variables: Vec<Variable>,
    container: Arc<str>,
    /// First parts of dotted variable and constant names, so that most field paths need not be looked up as names.
    dotted: Arc<HashSet<Arc<str>>>,
    /// Last parts of dotted function names, so that most methods need not be looked up as namespaced functions.
    namespaced: Arc<HashSet<Arc<str>>>,
    mixed_comparisons: bool,
    homogeneous_literals: bool,
    validate_literals: bool,
    strict_presence: bool,
}

/// What a global name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Global {
    /// A variable, by slot.
    Variable(u32),
    /// A fixed value and its type.
    Constant(Val<'static>, Type),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, possibly dotted.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
}

/// Composes an [`Env`].
#[derive(Clone, Debug)]
#[must_use = "an environment is made by `build`"]
pub struct EnvBuilder(Inner);

impl Env {
    /// An environment with nothing in it: no variables, and not even operators.
    pub fn builder() -> EnvBuilder {
        EnvBuilder(Inner {
            functions: Arc::default(),
            macros: Arc::default(),
            messages: Arc::default(),
            names: HashMap::new(),
            variables: Vec::new(),
            container: "".into(),
            dotted: Arc::default(),
            namespaced: Arc::default(),
            mixed_comparisons: false,
            homogeneous_literals: false,
            validate_literals: false,
            strict_presence: false,
        })
    }

    /// A builder that starts from this environment.
    pub fn extend(&self) -> EnvBuilder {
        EnvBuilder(self.0.as_ref().clone())
    }

    /// Parses an expression and expands its macros; names and types are not looked at.
    ///
    /// ```
    /// use krono_cel::{Env, Library, macros};
    ///
    /// let env = Env::builder().library(Library::new().with_macros(macros::STANDARD)).build();
    /// let ast = env.parse("items.all(it, it.size > 0)")?;
    /// assert_eq!(ast.source(), "items.all(it, it.size > 0)");
    ///
    /// let issues = env.parse("items.all(it.size, true)").unwrap_err();
    /// assert!(issues.to_string().starts_with("ERROR: <input>:1:13: argument must be a simple name"));
    /// # Ok::<(), krono_cel::Issues>(())
    /// ```
    pub fn parse(&self, source: &str) -> Result<Ast, Issues> {
        parser::parse(self, source)
    }

    /// The declared variables; a variable's slot is its place here.
    pub fn variables(&self) -> &[Variable] {
        &self.0.variables
    }

    /// The slot of a variable.
    pub fn slot(&self, name: &str) -> Option<usize> {
        match self.0.names.get(name)? {
            Global::Variable(slot) => Some(*slot as usize),
            Global::Constant(..) => None,
        }
    }

    /// The name that unqualified names are looked up in first, such as `google.protobuf`; often empty.
    pub fn container(&self) -> &str {
        &self.0.container
    }

    /// The macro that such a call is, if any; one with a fixed number of arguments comes before one with any.
    pub(crate) fn macro_for(&self, name: &str, receiver: bool, arguments: usize) -> Option<&Macro> {
        let mut candidates = self.0.macros.get(name)?.iter().filter(|it| it.receiver == receiver);
        let any = candidates.clone().find(|it| it.arity.is_none());
        candidates.find(|it| it.arity == Some(arguments)).or(any)
    }

    /// Looks a global name up, innermost container first.
    pub(crate) fn global(&self, name: &str) -> Option<&Global> {
        self.in_containers(name, |candidate| self.0.names.get(candidate))
    }

    /// Looks a function up, innermost container first; gives its full name and overloads.
    pub(crate) fn function(&self, name: &str) -> Option<(&str, &[Arc<Overload>])> {
        let (name, overloads) =
            self.in_containers(name, |candidate| self.0.functions.get_key_value(candidate))?;
        Some((name, overloads))
    }

    /// Whether some function is named `….last`.
    pub(crate) fn has_namespaced(&self, last: &str) -> bool {
        self.0.namespaced.contains(last)
    }

    /// Whether a name that begins with `root.` could be that of a variable or constant.
    pub(crate) fn has_dotted_names(&self, root: &str) -> bool {
        let container = self.0.container.split('.').next().filter(|it| !it.is_empty());
        let mut roots = [Some(root.trim_start_matches('.')), container].into_iter().flatten();
        roots.any(|root| self.0.dotted.contains(root))
    }

    /// Whether numbers of different static types may be compared with `<` and the like.
    pub(crate) fn mixed_comparisons(&self) -> bool {
        self.0.mixed_comparisons
    }

    /// Whether the entries of list and map literals must be of one type.
    pub(crate) fn homogeneous_literals(&self) -> bool {
        self.0.homogeneous_literals
    }

    /// Whether durations, timestamps and regular expressions written as literals must be right.
    pub(crate) fn validate_literals(&self) -> bool {
        self.0.validate_literals
    }

    /// Whether it is an error to ask a value that has no fields whether it has one.
    pub(crate) fn strict_presence(&self) -> bool {
        self.0.strict_presence
    }

    /// Checks a parsed expression: resolves its names and deduces its types by cel-go's rules.
    pub fn check(&self, ast: Ast) -> Result<Checked, Issues> {
        checker::check(self, ast)
    }

    /// Resolves the names of an expression that is to run unchecked; what is wrong with it shows when it runs.
    pub fn resolve(&self, ast: Ast) -> Result<Checked, Issues> {
        checker::resolve(self, ast)
    }

    /// Looks a message type up, innermost container first.
    pub(crate) fn message(&self, name: &str) -> Option<&Arc<Message>> {
        self.in_containers(name, |candidate| self.0.messages.get(candidate))
    }

    fn in_containers<T>(&self, name: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        if let Some(rooted) = name.strip_prefix('.') {
            return find(rooted);
        }
        let mut container: &str = &self.0.container;
        while !container.is_empty() {
            if let Some(found) = find(&format!("{container}.{name}")) {
                return Some(found);
            }
            container = container.rfind('.').map_or("", |dot| &container[..dot]);
        }
        find(name)
    }
}

impl EnvBuilder {
    /// Adds everything a library declares.
    pub fn library(mut self, library: Library) -> Self {
        let functions = Arc::make_mut(&mut self.0.functions);
        for (name, overloads) in library.functions {
            if let Some((_, last)) = name.rsplit_once('.') {
                Arc::make_mut(&mut self.0.namespaced).insert(last.into());
            }
            functions.entry(name.into()).or_default().extend(overloads.into_iter().map(Arc::new));
        }
        let macros = Arc::make_mut(&mut self.0.macros);
        for it in library.macros {
            macros.entry(it.name).or_default().push(it);
        }
        let messages = Arc::make_mut(&mut self.0.messages);
        messages.extend(library.messages.into_iter().map(|it| (it.name, Arc::new(it))));
        for (name, value, ty) in library.constants {
            self.note_dotted(name);
            self.0.names.insert(name.into(), Global::Constant(value, ty));
        }
        self
    }

    /// Declares a variable; declaring it again replaces its type and keeps its slot.
    pub fn variable(mut self, name: &str, ty: Type) -> Self {
        let name: Arc<str> = name.into();
        if let Some(Global::Variable(slot)) = self.0.names.get(&name) {
            self.0.variables[*slot as usize].ty = ty;
            return self;
        }
        self.note_dotted(&name);
        let slot = u32::try_from(self.0.variables.len()).unwrap_or(u32::MAX);
        self.0.names.insert(Arc::clone(&name), Global::Variable(slot));
        self.0.variables.push(Variable { name, ty });
        self
    }

    /// Sets the name that unqualified names are looked up in first.
    pub fn container(mut self, name: &str) -> Self {
        self.0.container = name.into();
        self
    }

    /// Allows `1 < 1.5`, as Kubernetes does and kro does not; equality is not affected.
    pub fn mixed_comparisons(mut self, allow: bool) -> Self {
        self.0.mixed_comparisons = allow;
        self
    }

    /// Demands that the entries of list and map literals are of one type, as Kubernetes does and kro does not.
    pub fn homogeneous_literals(mut self, demand: bool) -> Self {
        self.0.homogeneous_literals = demand;
        self
    }

    /// Demands that durations, timestamps and regular expressions written as literals are right, as Kubernetes does; kro finds
    /// out when the expression runs.
    pub fn validate_literals(mut self, demand: bool) -> Self {
        self.0.validate_literals = demand;
        self
    }

    /// Makes it an error to ask a value that has no fields, such as a number, whether it has one.
    ///
    /// The specification's tests expect that; in Kubernetes and kro `has(1.a)` is false and `1.?a` is absent.
    pub fn strict_presence(mut self, demand: bool) -> Self {
        self.0.strict_presence = demand;
        self
    }

    fn note_dotted(&mut self, name: &str) {
        if let Some((root, _)) = name.split_once('.') {
            Arc::make_mut(&mut self.0.dotted).insert(root.into());
        }
    }

    /// The environment.
    pub fn build(self) -> Env {
        Env(Arc::new(self.0))
    }
}
