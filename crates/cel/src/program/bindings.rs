//! Values of an environment's variables.

use serde_json::Value;

use crate::env::Env;
use crate::value::Val;

/// Values for the variables of one environment; serves every program made in it.
#[derive(Clone, Debug)]
pub struct Bindings<'a> {
    env: &'a Env,
    values: Vec<Option<Val<'a>>>,
}

impl<'a> Bindings<'a> {
    pub(super) fn new(env: &'a Env) -> Self {
        Self { env, values: vec![None; env.variables().len()] }
    }

    /// Sets a variable to JSON, read as the variable's type says; a name that is not declared is ignored.
    #[must_use]
    pub fn with(mut self, name: &str, json: &'a Value) -> Self {
        self.set(name, json);
        self
    }

    /// Sets a variable to JSON, read as the variable's type says; a name that is not declared is ignored.
    pub fn set(&mut self, name: &str, json: &'a Value) {
        if let Some(slot) = self.env.slot(name) {
            self.values[slot] = Some(Val::from_json(json, &self.env.variables()[slot].ty));
        }
    }

    /// Sets a variable to a value; a name that is not declared is ignored.
    pub fn set_val(&mut self, name: &str, value: Val<'a>) {
        if let Some(slot) = self.env.slot(name) {
            self.values[slot] = Some(value);
        }
    }

    pub(super) fn env(&self) -> &Env {
        self.env
    }

    pub(super) fn get(&self, slot: u32) -> Option<&Val<'a>> {
        self.values.get(slot as usize)?.as_ref()
    }

    pub(super) fn name(&self, slot: u32) -> &str {
        self.env.variables().get(slot as usize).map_or("", |it| &it.name)
    }
}
