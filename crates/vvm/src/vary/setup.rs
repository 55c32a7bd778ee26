//! Options, constraints and bounds of a started VM; conditions as plain data.

use super::Vary;
use super::report::{Condition, Conditional, TestReport, TraceReport, Traced, VaryStats};
use crate::error::{Result, VmError};
use crate::junit::Outcome;
use crate::options::WovenChoice;
use crate::trap::Step;
use crate::value::Kind;
use crate::vm::Vm;
use braid_cond::{Cond, FeatureModel, Opt};

impl Vm {
    pub(super) fn add_option(&mut self, name: &str) -> Opt {
        // Later options above earlier ones: where the program meets them in order, diagrams stay far smaller.
        let opt = self.conds.option_above(name);
        if self.options.all.iter().all(|&(_, other)| other != opt) {
            self.options.all.push((name.to_owned(), opt));
        }
        opt
    }

    pub(super) fn add_option_field(&mut self, class: &str, name: &str) -> Result<()> {
        let internal = class.replace('.', "/");
        if !self.can_vary(class, name, Kind::Boolean)? {
            let message = format!(
                "option {class}.{name}: not a static boolean field (a constant cannot vary: javac copies it)"
            );
            return Err(VmError::Usage(message));
        }
        let opt = self.add_named(name, format!("{class}.{name}"));
        self.options.fields.insert((internal, name.to_owned()), opt);
        Ok(())
    }

    pub(super) fn add_option_property(&mut self, name: &str) {
        if self
            .options
            .properties
            .iter()
            .all(|(known, _)| known != name)
        {
            let opt = self.add_named(name, format!("-D{name}"));
            self.options.properties.push((name.to_owned(), opt));
        }
    }

    /// A new option with a short name, or with the full one where another option has the short one.
    fn add_named(&mut self, short: &str, full: String) -> Opt {
        let taken = self.options.all.iter().any(|(other, _)| other == short);
        self.add_option(if taken { &full } else { short })
    }

    /// Whether the class has such a field, and it is static and no constant.
    fn can_vary(&mut self, class: &str, name: &str, kind: Kind) -> Result<bool> {
        let Ok(id) = self.load(&class.replace('.', "/")) else {
            let why = format!("option {class}.{name}: no such class");
            return Err(VmError::Usage(why));
        };
        let mut fields = self.classes[id as usize].fields.iter();
        let field = fields.find(|field| &**self.symbols.text(field.name) == name);
        Ok(field.is_some_and(|field| {
            field.access.is_static() && field.kind == kind && field.constant == 0
        }))
    }

    pub(super) fn add_choice(&mut self, woven: &WovenChoice) -> Result<()> {
        let field = &woven.field;
        let (class, name) = field.rsplit_once('.').unwrap_or(("", field));
        if !self.can_vary(class, name, Kind::Int)? {
            let why = format!("option {field}: not a static int field that can vary");
            return Err(VmError::Usage(why));
        }
        let mut alternatives = Vec::with_capacity(woven.alternatives.len());
        for (option, number) in &woven.alternatives {
            alternatives.push((*number, self.add_option(option)));
        }
        let key = (class.replace('.', "/"), name.to_owned());
        self.options.choices.insert(key, alternatives);
        Ok(())
    }

    /// At most one alternative of each woven choice.
    fn one_alternative(&mut self) -> Result<Cond> {
        let mut all = Cond::TRUE;
        for alternatives in self.options.choices.values() {
            let opts: Vec<Opt> = alternatives.iter().map(|&(_, opt)| opt).collect();
            let one = self.conds.at_most(&opts, 1)?;
            all = self.conds.and(all, one)?;
        }
        Ok(all)
    }

    /// The condition of a feature model. What it names beyond the options are features of the model alone: they may
    /// be set as it needs, and are not counted.
    fn valid(&mut self, model: &FeatureModel) -> Result<Cond> {
        let opts: Vec<Opt> = self.options.all.iter().map(|&(_, opt)| opt).collect();
        let names = model.names();
        let named = names.options().filter_map(|opt| names.name(opt));
        let is_option = |name: &str| self.options.all.iter().any(|(known, _)| known == name);
        let foreign = named.filter(|name| !is_option(name)).map(str::to_owned);
        self.options.foreign = foreign.collect();
        let valid = model.condition(&mut self.conds)?;
        Ok(self.conds.project(valid, &opts)?)
    }

    pub(super) fn set_universe(&mut self, vary: &Vary) -> Result<()> {
        let mut universe = self.one_alternative()?;
        if let Some(text) = &vary.feature_model {
            let model = FeatureModel::read(text)
                .map_err(|error| VmError::Usage(format!("feature model: {error}")))?;
            let valid = self.valid(&model)?;
            universe = self.conds.and(universe, valid)?;
        }
        if let Some(degree) = vary.degree {
            let opts: Vec<Opt> = self.options.all.iter().map(|&(_, opt)| opt).collect();
            let bound = self.conds.at_most(&opts, degree)?;
            universe = self.conds.and(universe, bound)?;
        }
        if universe.is_false() {
            return Err(VmError::Usage(
                "no configuration meets the feature model".into(),
            ));
        }
        self.universe = universe;
        self.ctx = universe;
        for class in &mut self.classes {
            if class.init.begun.is_true() {
                class.permanent = true;
            }
        }
        self.set_option_properties()
            .map_err(|trap| VmError::Library(self.explain(trap)))
    }

    /// Option properties have a conditional value: the string "true" where the option is on, else "false".
    fn set_option_properties(&mut self) -> Step<()> {
        for (name, opt) in self.options.properties.clone() {
            let on = self.conds.on(opt);
            let (yes, no) = (
                u64::from(self.new_string("true")?),
                u64::from(self.new_string("false")?),
            );
            let value = self.select_slot(on, yes, no)?;
            let key = u64::from(self.new_string(&name)?);
            let descriptor = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;";
            self.call_static_named("java/lang/System", "setProperty", descriptor, &[key, value])?;
            self.options.values.push(value);
        }
        Ok(())
    }

    /// How many configurations meet a condition.
    pub(super) fn count(&mut self, cond: Cond) -> String {
        let all = self.conds.count(cond);
        // Features of the model alone do not matter, so that each doubles the number.
        (all >> (self.conds.option_count() - self.options.all.len())).to_string()
    }

    /// Names in the order in which the options were given.
    fn names_of(&self, opts: &[Opt]) -> Vec<String> {
        let all = self.options.all.iter();
        let among = all.filter(|(_, opt)| opts.contains(opt));
        among.map(|(name, _)| name.clone()).collect()
    }

    /// A condition as plain data.
    pub(crate) fn condition(&mut self, cond: Cond) -> Result<Condition> {
        let universe = self.universe;
        let inside = self.conds.and(cond, universe)?;
        let shown = self.conds.describe_in(inside, universe)?;
        let (formula, interacting) = (shown.text, self.names_of(&shown.options));
        let smallest = self.conds.smallest(inside).unwrap_or_default();
        let smallest = self.names_of(&smallest);
        let configurations = self.count(inside);
        Ok(Condition {
            formula,
            smallest,
            interacting,
            configurations,
        })
    }

    /// The parts of the space that are run one after another: all of it, or with partitions the
    /// configurations in which only options of one group are on.
    pub(super) fn spaces(&mut self, vary: &Vary) -> Result<Vec<Cond>> {
        let all: Vec<Opt> = self.options.all.iter().map(|&(_, opt)| opt).collect();
        let Some(count) = vary.partitions.filter(|&count| count > 1 && all.len() > 1) else {
            return Ok(vec![self.universe]);
        };
        let size = all.len().div_ceil(count);
        let (mut spaces, mut union) = (Vec::new(), Cond::FALSE);
        for group in all.chunks(size) {
            let mut space = self.universe;
            for &opt in all.iter().filter(|opt| !group.contains(opt)) {
                let off = self.conds.off(opt);
                space = self.conds.and(space, off)?;
            }
            let new = self.conds.minus(space, union)?;
            if !new.is_false() {
                spaces.push(new);
            }
            union = self.conds.or(union, space)?;
        }
        if spaces.is_empty() {
            let message = "no configuration of the feature model lies within one partition";
            return Err(VmError::Usage(message.into()));
        }
        self.universe = union;
        Ok(spaces)
    }

    /// Lets only these configurations run from now on.
    pub(super) fn enter(&mut self, space: Cond) {
        self.universe = space;
        self.ctx = space;
    }

    /// Whether an option is among the names.
    pub(super) fn is_on(&self, opt: Opt, on: &[String]) -> bool {
        let named = self.options.all.iter().find(|(_, other)| *other == opt);
        named.is_some_and(|(name, _)| on.contains(name))
    }

    pub(super) fn option_names(&self) -> Vec<String> {
        let all = self.options.all.iter();
        all.map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn test_report(
        &mut self,
        name: String,
        outcomes: Vec<(Cond, Outcome)>,
        samples: &[Vec<String>],
    ) -> Result<TestReport> {
        let conds: Vec<Cond> = outcomes.iter().map(|outcome| outcome.0).collect();
        let sampled = samples.iter().map(|on| {
            let is_on = |opt: Opt| self.is_on(opt, on);
            conds.iter().position(|&cond| self.conds.eval(cond, is_on))
        });
        let sampled = sampled.collect();
        let mut found = Vec::new();
        for (cond, value) in outcomes {
            found.push(Conditional {
                when: self.condition(cond)?,
                value,
            });
        }
        Ok(TestReport {
            name,
            configurations: self.count(self.universe),
            outcomes: found,
            sampled,
            trace: TraceReport::default(),
        })
    }

    /// Takes what was seen of the watched variable; consecutive equal values of a place become one.
    pub(super) fn take_trace(&mut self) -> Result<TraceReport> {
        let mut report = TraceReport {
            values: Vec::new(),
            dropped: std::mem::take(&mut self.trace.dropped),
        };
        for (place, cond, value) in std::mem::take(&mut self.trace.seen) {
            let place = &self.trace.places[place as usize];
            let value = Traced {
                variable: place.variable.clone(),
                method: place.method.clone(),
                line: place.line,
                value,
            };
            report.values.push(Conditional {
                when: self.condition(cond)?,
                value,
            });
        }
        Ok(report)
    }

    pub(super) fn vary_stats(&mut self) -> VaryStats {
        self.end_path();
        self.note_heap();
        VaryStats {
            peak_nodes: self.conds.stats().peak_nodes,
            peak_choices: self.counters.peak_choices,
            splits: self.counters.splits,
            merges: self.counters.merges,
            peak_states: self.counters.peak_states,
            collections: self.counters.collections,
            peak_heap: self.counters.peak_heap,
            steps: self.counters.steps,
            longest: self.counters.longest,
        }
    }
}
