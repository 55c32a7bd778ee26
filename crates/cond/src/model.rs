//! Feature models: constraints between options that say which configurations make sense.

use crate::Manager;
use crate::error::{Error, OutOfNodes};
use crate::formula::Formula;
use crate::handle::{Cond, Opt};
use crate::names::Names;

/// A rule of a feature model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What the rule demands.
    pub formula: Formula,
    /// The line of the text it was read from, 0 if it was not read.
    pub line: usize,
}

/// Options and the rules between them.
///
/// Read from text with [`FeatureModel::parse`] or [`FeatureModel::parse_dimacs`], or built by calls:
///
/// ```
/// use braid_cond::{FeatureModel, Manager};
/// let mut model = FeatureModel::new();
/// let (search, bfs, dfs) = (model.option("Search"), model.option("BFS"), model.option("DFS"));
/// model.alternative(Some(search), &[bfs, dfs]);
/// let mut m = Manager::new();
/// let valid = model.condition(&mut m).unwrap();
/// assert_eq!(m.count(valid), 3u32.into());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureModel {
    pub(crate) names: Names,
    pub(crate) rules: Vec<Rule>,
}

/// What a feature model says about its options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// No configuration is valid.
    pub void: bool,
    /// Options that are on in no valid configuration.
    pub dead: Vec<Opt>,
    /// Options that are on in every valid configuration.
    pub core: Vec<Opt>,
}

impl FeatureModel {
    /// A model without options and rules.
    pub fn new() -> FeatureModel {
        FeatureModel::default()
    }

    /// The options.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The rules, all of which hold in a valid configuration.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The option with this name, a new one if there is none.
    pub fn option(&mut self, name: &str) -> Opt {
        self.names.intern(name)
    }

    /// Adds any formula as a rule.
    pub fn rule(&mut self, formula: Formula) {
        self.rules.push(Rule { formula, line: 0 });
    }

    /// The option is on in every configuration.
    pub fn root(&mut self, opt: Opt) {
        self.rule(opt.into());
    }

    /// With `opt` on, every one of `needed` is on.
    pub fn requires(&mut self, opt: Opt, needed: &[Opt]) {
        for &other in needed {
            self.rule(Formula::from(opt).implies(other.into()));
        }
    }

    /// With `opt` on, every one of `others` is off.
    pub fn excludes(&mut self, opt: Opt, others: &[Opt]) {
        for &other in others {
            self.rule(!(Formula::from(opt) & other.into()));
        }
    }

    /// Each child is on exactly if the parent is (always, without a parent).
    pub fn mandatory(&mut self, parent: Option<Opt>, children: &[Opt]) {
        for &child in children {
            self.rule(parent_formula(parent).iff(child.into()));
        }
    }

    /// No child is on without the parent.
    pub fn optional(&mut self, parent: Option<Opt>, children: &[Opt]) {
        for &child in children {
            self.rule(Formula::from(child).implies(parent_formula(parent)));
        }
    }

    /// With the parent on (always, without a parent) at least one child is on; without it none.
    pub fn or_group(&mut self, parent: Option<Opt>, children: &[Opt]) {
        let any = Formula::any(children.iter().copied().map(Formula::from));
        self.rule(parent_formula(parent).iff(any));
    }

    /// With the parent on (always, without a parent) exactly one child is on; without it none.
    pub fn alternative(&mut self, parent: Option<Opt>, children: &[Opt]) {
        let one = Formula::count(1, 1, children.iter().copied());
        let none = Formula::count(0, 0, children.iter().copied());
        self.rule(parent_formula(parent).ite(one, none));
    }

    /// All rules as one formula over the model's own options.
    pub fn formula(&self) -> Formula {
        Formula::all(self.rules.iter().map(|rule| rule.formula.clone()))
    }

    /// All rules as one formula over the manager's options of the same names, which are added if need be.
    pub fn formula_for(&self, manager: &mut Manager) -> Formula {
        let opts: Vec<Opt> = self
            .names
            .options()
            .map(|opt| manager.option(self.names.name(opt).unwrap_or_default()))
            .collect();
        self.formula().rename(&mut |opt| opts[opt.index()])
    }

    /// The condition that a configuration is valid, over the manager's options of the same names, which are
    /// added if need be.
    pub fn condition(&self, manager: &mut Manager) -> Result<Cond, OutOfNodes> {
        let formula = self.formula_for(manager);
        manager.compile(&formula)
    }

    /// Which options are dead, which always on, and whether anything is valid at all. The options are the
    /// model's own.
    pub fn analyse(&self, reasoner: &mut dyn crate::Reasoner) -> Result<Analysis, Error> {
        let formula = self.formula();
        if !reasoner.satisfiable(&formula)? {
            return Ok(Analysis {
                void: true,
                ..Analysis::default()
            });
        }
        let mut analysis = Analysis::default();
        for opt in self.names.options() {
            if !reasoner.satisfiable(&(formula.clone() & opt.into()))? {
                analysis.dead.push(opt);
            } else if !reasoner.satisfiable(&(formula.clone() & !Formula::from(opt)))? {
                analysis.core.push(opt);
            }
        }
        Ok(analysis)
    }
}

fn parent_formula(parent: Option<Opt>) -> Formula {
    parent.map_or(Formula::True, Formula::Opt)
}
