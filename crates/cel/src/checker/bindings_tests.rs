use super::super::parts::bounded;
use super::*;

fn optional(ty: Type) -> Type {
    Type::optional(ty)
}

#[test]
fn assignability_without_variables() {
    let check = |from: Type, to: Type, expected: bool| {
        assert_eq!(Bindings::default().assignable(&from, &to), expected, "{from} to {to}");
    };
    let wrapper = || Type::Wrapper(Arc::new(Type::Int));
    check(Type::Int, Type::Int, true);
    check(Type::Int, Type::Uint, false);
    check(Type::Int, Type::Dyn, true);
    check(Type::Dyn, Type::Int, true);
    check(Type::Error, Type::Int, true);
    check(wrapper(), Type::Int, true);
    check(Type::Int, wrapper(), true);
    check(wrapper(), Type::Uint, false);
    check(Type::Null, wrapper(), true);
    check(Type::Null, Type::Int, false);
    check(Type::Null, Type::Null, true);
    check(Type::Null, Type::Timestamp, true);
    check(Type::Null, Type::list(Type::Int), false);
    check(Type::opaque("a"), Type::Null, true);
    check(Type::opaque("a"), Type::opaque("b"), false);
    check(Type::list(Type::Int), Type::list(Type::Int), true);
    check(Type::list(Type::Int), Type::list(Type::Dyn), true);
    check(Type::list(Type::Int), Type::list(Type::String), false);
    check(Type::map(Type::Int, Type::Int), Type::map(Type::Int, Type::Bool), false);
    check(optional(Type::Int), optional(Type::Int), true);
    check(optional(Type::Int), Type::Int, false);
    check(Type::type_of(Type::Int), Type::type_of(Type::String), true);
    check(Type::object("a", []), Type::object("a", []), true);
    check(Type::object("a", []), Type::object("b", []), false);
}

#[test]
fn variables_take_the_most_general_type() {
    let check = |types: &[Type], expected: Option<&str>| {
        let mut bindings = Bindings::default();
        let var = bindings.fresh();
        let fits = types.iter().all(|ty| bindings.assignable(ty, &var));
        assert_eq!(fits.then(|| bindings.substitute(&var).to_string()).as_deref(), expected, "{types:?}");
    };
    check(&[Type::Int, Type::Int], Some("int"));
    check(&[Type::Int, Type::Dyn], Some("dyn"));
    check(&[Type::Dyn, Type::Int], Some("dyn"));
    check(&[Type::Int, Type::String], None);
    check(&[Type::list(Type::Int), Type::list(Type::Dyn)], Some("list(dyn)"));
    check(&[Type::Null, Type::Timestamp], Some("null"));
    check(&[Type::Timestamp, Type::Null], Some("timestamp"));
}

#[test]
fn a_failed_comparison_leaves_no_trace() {
    let mut bindings = Bindings::default();
    let var = bindings.fresh();
    let from = Type::map(Type::Int, Type::String);
    assert!(!bindings.assignable(&from, &Type::map(var.clone(), Type::Bool)));
    assert_eq!(bindings.substitute(&var).to_string(), "_var0");
    assert!(bindings.assignable(&from, &Type::map(var.clone(), Type::String)));
    assert_eq!(bindings.substitute(&var).to_string(), "int");
}

#[test]
fn a_variable_is_never_part_of_itself() {
    let mut bindings = Bindings::default();
    let var = bindings.fresh();
    assert!(!bindings.assignable(&Type::list(var.clone()), &var));
    assert!(!bindings.assignable(&var, &Type::list(var.clone())));
    assert_eq!(bindings.close(&Type::list(var)).to_string(), "list(dyn)");
}

#[test]
fn parameters_of_a_signature_are_its_own_variables() {
    let params = [Type::map(Type::Param(0), Type::Param(1)), Type::Param(0)];
    let result = optional(Type::Param(1));
    let signature = Signature { params: &params, result: &result, generics: 2 };
    let mut bindings = Bindings::default();
    let mut check = |map: Type, key: Type, expected: Option<&str>| {
        let result = bindings.apply(&[map, key], signature).map(|it| it.to_string());
        assert_eq!(result.as_deref(), expected);
    };
    check(Type::map(Type::String, Type::Int), Type::String, Some("optional_type(int)"));
    check(Type::map(Type::Int, Type::Bool), Type::Int, Some("optional_type(bool)"));
    check(Type::map(Type::Int, Type::Bool), Type::String, None);
    check(Type::Dyn, Type::Int, Some("optional_type(_var7)"));
}

#[test]
fn types_that_double_stay_within_bounds() {
    let mut ty = Type::Int;
    for _ in 0..200 {
        ty = Type::map(bounded(ty.clone()), bounded(ty));
    }
    assert!(ty.to_string().len() < 20_000);

    let mut bindings = Bindings::default();
    let mut var = bindings.fresh();
    for _ in 0..200 {
        let next = bindings.fresh();
        assert!(bindings.assignable(&Type::map(var.clone(), var), &next));
        var = next;
    }
    assert!(bindings.close(&var).to_string().len() < 20_000);
    assert!(bindings.assignable(&var, &Type::map(Type::Dyn, Type::Dyn)));
}
