//! English plurals, as kro's library has them: the name of a definition depends on every letter.

/// The plural of a lower-case word.
///
/// ```
/// use krono_schema::crd::pluralize;
/// assert_eq!(pluralize("policy"), "policies");
/// assert_eq!(pluralize("salesperson"), "salespeople");
/// assert_eq!(pluralize("status"), "statuses");
/// ```
pub fn pluralize(word: &str) -> String {
    if word.is_empty() {
        return String::new();
    }
    if let Some(plural) = whole_word(word) {
        return plural.to_owned();
    }
    for (singular, plural) in COMPOUNDS.split_whitespace().chain(SUFFIXES.split_whitespace()).map(forms) {
        if word.ends_with(plural) {
            return word.to_owned();
        }
        if let Some(stem) = word.strip_suffix(singular) {
            return format!("{stem}{plural}");
        }
    }
    if word.ends_with('s') { word.to_owned() } else { format!("{word}s") }
}

/// The plural of a word that is in the tables itself, as a singular or already as a plural.
fn whole_word(word: &str) -> Option<&str> {
    let entries = || COMPOUNDS.split_whitespace().chain(WHOLE_WORDS.split_whitespace());
    if let Some(entry) = entries().find(|entry| forms(entry).0 == word) {
        return Some(forms(entry).1);
    }
    entries().any(|entry| entry.split('/').skip(1).any(|plural| plural == word)).then_some(word)
}

fn forms(entry: &str) -> (&str, &str) {
    let mut forms = entry.split('/');
    (forms.next().unwrap_or_default(), forms.next().unwrap_or_default())
}

/// `singular/plural[/other plural]`, also at the end of a longer word; earlier entries win.
/// (`octupuses` is a slip in the library kro uses; correcting it would rename its definitions.)
const COMPOUNDS: &str = "\
    graffiti/graffiti shoe/shoes formula/formulas/formulae agenda/agendas pretorium/pretoriums \
    cookie/cookies movie/movies move/moves hive/hives chive/chives thief/thieves hoof/hoofs/hooves \
    dwarf/dwarfs/dwarves rice/rice news/news money/money jeans/jeans information/information \
    equipment/equipment tomato/tomatoes potato/potatoes buffalo/buffaloes/buffalos topaz/topazes \
    ache/aches pause/pauses muse/muses misuse/misuses house/houses fuse/fuses excuse/excuses \
    cruse/cruses clause/clauses cause/causes abuse/abuses vedalia/vedalias basis/bases base/bases \
    testis/testes thesis/theses oasis/oases genesis/geneses ellipsis/ellipses crisis/crises \
    helix/helices/helixes radix/radices/radixes appendix/appendices/appendixes vortex/vortices/vortexes \
    vertex/vertices/vertexes latex/latices/latexes index/indices/indexes codex/codices/codexes \
    apex/apices/apexes uva/uvae praecava/praecavae postcava/postcavae larva/larvae vita/vitae \
    minutia/minutiae differentia/differentiae vertebra/vertebrae alumna/alumnae genus/genera \
    corpus/corpora/corpuses syllabus/syllabi radius/radii/radiuses octopus/octupuses/octopi \
    nucleus/nuclei/nucleuses locus/loci/locuses focus/foci/focuses coccus/cocci cactus/cacti/cactuses \
    bacillus/bacilli alumnus/alumni/alumnuses quota/quotas curriculum/curriculums/curricula \
    symposium/symposia/symposiums auditorium/auditoria/auditoriums aquarium/aquaria/aquariums \
    stadium/stadiums/stadia medium/media/mediums media/media taxon/taxa phenomenon/phenomena \
    noumenon/noumena mitochondrion/mitochondria/mitochondrions lexicon/lexica/lexicons \
    ganglion/ganglia/ganglions criterion/criteria bureau/bureaus/bureaux fabliau/fabliaux \
    adieu/adieux/adieus person/people woman/women tooth/teeth mouse/mice human/humans man/men \
    goose/geese foot/feet child/children you/you tuna/tuna/tunas trout/trout/trouts swine/swine/swines \
    species/species shrimp/shrimp/shrimps sheep/sheep series/series salmon/salmon/salmons police/police \
    moose/moose fish/fish/fishes deer/deer chassis/chassis blues/blues bison/bison beef/beef/beefs \
    aircraft/aircraft";

/// The same, but not at the end of a longer word.
const WHOLE_WORDS: &str =
    "ox/oxen louse/lice die/dice axis/axes alias/aliases use/uses toe/toes eia/eias ssh/sshs tia/tias";

/// Endings; earlier entries win.
const SUFFIXES: &str = "\
    tive/tives eaf/eaves oaf/oaves afe/aves arf/arves rfe/rves rf/rves lf/lves fe/ves ay/ays ey/eys \
    oy/oys quy/quies uy/uys y/ies eau/eaux bula/bulae dula/bulae lula/bulae nula/bulae vula/bulae \
    hedron/hedra ium/ia seum/seums eum/ea oum/oa stracum/straca dum/da elum/ela ilum/ila olum/ola \
    ulum/ula llum/lla ylum/yla imum/ima ernum/erna gnum/gna brum/bra crum/cra terum/tera serum/sera \
    trum/tra antum/anta atum/ata entum/enta etum/eta itum/ita otum/ota utum/uta ctum/cta ovum/ova \
    trix/trices iasis/iases mesis/meses kinesis/kineses resis/reses gnosis/gnoses opsis/opses ysis/yses \
    ouse/ouses lause/lauses us/uses ch/ches io/ios sh/shes ss/sses ez/ezzes iz/izzes tz/tzes zz/zzes \
    ano/anos lo/los to/tos oo/oos o/oes x/xes";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals() {
        let check = |word: &str, expect: &str| assert_eq!(pluralize(word), expect);
        check("webapp", "webapps");
        check("proxy", "proxies");
        check("policy", "policies");
        check("person", "people");
        check("index", "indices");
        check("status", "statuses");
        check("gateway", "gateways");
        check("database", "databases");
        check("databases", "databases");
        check("redis", "redis");
        check("kubernetes", "kubernetes");
        check("helmrelease", "helmreleases");
        check("tty", "tties");
        check("ssh", "sshs");
        check("class", "classes");
        check("matrix", "matrices");
        check("wolf", "wolves");
        check("knife", "knives");
        check("hero", "heroes");
        check("photo", "photos");
        check("studio", "studios");
        check("batch", "batches");
        check("hash", "hashes");
        check("datum", "data");
        check("criterion", "criteria");
        check("analysis", "analyses");
        check("basis", "bases");
        check("today", "todays");
        check("guy", "guys");
        check("soliloquy", "soliloquies");
        check("bureau", "bureaus");
        check("octopus", "octupuses");
        check("superhuman", "superhumans");
        check("woman", "women");
        check("safe", "saves");
        check("virus", "viruses");
        check("media", "media");
        check("quiz", "quizzes");
        check("cookie", "cookies");
        check("axis", "axes");
        check("box", "boxes");
        check("equipment", "equipment");
        check("salesperson", "salespeople");
        check("wildox", "wildoxes");
        check("bus", "buses");
    }

    #[test]
    fn a_plural_is_its_own_plural() {
        for entry in COMPOUNDS.split_whitespace().chain(WHOLE_WORDS.split_whitespace()) {
            let plural = pluralize(forms(entry).0);
            assert_eq!(pluralize(&plural), plural, "{entry}");
        }
    }
}
