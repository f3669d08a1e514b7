//! Fleet plans in lines.

use krono_planner::preview::{Change, Effect, KindEffect};

use super::body::body;
use super::group::{Group, Place, groups, staying};
use super::{FleetPlan, InstancePlan, Summary};

/// How many instances are named in one line.
const NAMED: usize = 5;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Every change.
    Full,
    /// The numbers alone.
    Summary,
}

/// What would happen, what takes something away first, and the numbers last.
pub fn text(plans: &[FleetPlan], detail: Detail) -> String {
    let mut text = String::new();
    for plan in plans {
        text += &title(plan);
        if detail == Detail::Full {
            text += &groups(&plan.instances).iter().map(group).collect::<String>();
            text += &staying(&plan.instances).iter().map(stay).collect::<String>();
        }
        text += "\n";
        text += &numbers(&plan.summary());
    }
    text
}

fn title(plan: &FleetPlan) -> String {
    let name = format!("definition {} of {}", plan.definition, plan.kind);
    let waits = format!(
        "    it waits to be issued (updatePolicy.type: Manual): krono revisions create rgd/{}\n",
        plan.definition
    );
    kind(plan, &name) + if plan.is_pending { &waits } else { "" }
}

fn kind(plan: &FleetPlan, name: &str) -> String {
    match &plan.effect {
        KindEffect::Created => format!("{name}: the kind is new\n"),
        KindEffect::Changed => format!("{name}: the schema of the kind changes\n"),
        KindEffect::Unchanged => format!("{name}: the schema of the kind stays\n"),
        KindEffect::Refused(words) => {
            let words = words.replace('\n', "\n    ");
            format!("{name}: REFUSED, nothing of the edit reaches any instance\n    {words}\n")
        }
    }
}

fn group(group: &Group<'_>) -> String {
    let shown = group.shown;
    let forecast = &shown.forecast;
    let is_refused = forecast.changes.iter().any(|it| matches!(it.effect, Effect::Refused(_)));
    let mut lines = vec![String::new(), heading(&group.all)];
    lines.extend(forecast.changes.iter().flat_map(|it| change(it, shown)));
    let failure = forecast.failure.iter().filter(|_| !is_refused);
    lines.extend(failure.map(|it| format!("  ! would fail: {it}")));
    lines.extend(forecast.objections.iter().map(|it| format!("  ! the new schema refuses {it}")));
    if group.all.len() > 1 {
        lines.push(format!("  (shown for {}; the same for the others, under their names)", shown.title()));
    }
    lines.join("\n") + "\n"
}

/// Instances that stay at the same revision for the same reason.
fn stay(((at, words), all): &(Place<'_>, Vec<&InstancePlan>)) -> String {
    let place = at.map_or_else(|| "waits for a revision".to_owned(), |it| format!("stays at revision {it}"));
    format!("\n{}\n  {place}: {words}\n", heading(all))
}

fn change(change: &Change, instance: &InstancePlan) -> Vec<String> {
    let mut lines = vec![format!("  {}", change_title(change, instance))];
    if let Effect::Refused(words) = &change.effect {
        lines.extend(words.lines().map(indented));
    }
    lines.extend(body(change).lines().map(indented));
    lines
}

fn heading(all: &[&InstancePlan]) -> String {
    let names: Vec<String> = all.iter().take(NAMED).map(|it| it.title()).collect();
    let names = names.join(", ");
    match all.len() {
        1 => names,
        count if count <= NAMED => format!("{count} instances: {names}"),
        count => format!("{count} instances: {names} and {} more", count - NAMED),
    }
}

fn change_title(change: &Change, instance: &InstancePlan) -> String {
    let mark = match change.effect {
        Effect::Create => '+',
        Effect::Update => '~',
        Effect::Delete => '-',
        Effect::Release => '=',
        Effect::Refused(_) => '!',
    };
    let words = match &change.effect {
        Effect::Delete => ": deleted".to_owned(),
        Effect::Release => ": kept, and krono's no longer".to_owned(),
        Effect::Refused(_) => ": refused by the API server; delete it to have it made anew".to_owned(),
        Effect::Create | Effect::Update if change.is_awaiting => ", when what it needs is ready".to_owned(),
        Effect::Create | Effect::Update => String::new(),
    };
    format!("{mark} {} {}{}{words}", change.kind.kind, name(change, instance), node(change))
}

fn node(change: &Change) -> String {
    if change.node.is_empty() { String::new() } else { format!(" ({})", change.node) }
}

fn name(change: &Change, instance: &InstancePlan) -> String {
    match &change.name {
        None => krono_graph::UNKNOWN.to_owned(),
        Some(name) if name.namespace.is_empty() || name.namespace == instance.namespace => name.name.clone(),
        Some(name) => format!("{}/{}", name.namespace, name.name),
    }
}

fn indented(line: &str) -> String {
    format!("      {line}").trim_end().to_owned()
}

fn numbers(sum: &Summary) -> String {
    let some = |count: usize, words: &str| (count > 0).then(|| format!("{count} {words}"));
    let instances = [
        Some(format!("{} unchanged", sum.unchanged)),
        Some(format!("{} changed", sum.changed)),
        Some(format!("{} with deletions or replacements", sum.destructive)),
        some(sum.failing, "that would fail"),
        some(sum.suspended, "suspended"),
        some(sum.staying, "staying behind"),
    ];
    let writes = [
        some(sum.created, "created"),
        some(sum.updated, "changed"),
        some(sum.deleted, "deleted"),
        some(sum.released, "released"),
        some(sum.refused, "refused"),
    ];
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let first = format!("{}: {}\n", plural(sum.instances, "instance"), listed(instances));
    let writes = listed(writes);
    let of = if writes.is_empty() { String::new() } else { format!(": {writes}") };
    let second = format!("{}{of}\n", plural(sum.writes(), "resource write"));
    let third = match sum.regardless {
        0 => String::new(),
        count => format!(
            "{} about to be written whatever the edit: drift, or a change under way\n",
            plural(count, "resource")
        ),
    };
    first + &second + &third
}

fn listed<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
