//! The `Module` attribute and its JDK-specific companions.

use crate::AccessFlags;
use crate::error::Result;
use crate::jstr::JStr;
use crate::pool::ConstantPool;
use crate::reader::Reader;
use crate::table::{Table, record};

/// A module declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct Module<'a> {
    /// The module's name.
    pub name: JStr<'a>,
    /// open, synthetic, mandated.
    pub access: AccessFlags,
    /// Its version, if recorded.
    pub version: Option<JStr<'a>>,
    /// Modules it reads.
    pub requires: Table<'a, ModuleRequires>,
    /// Packages it exports.
    pub exports: Vec<ModuleExports<'a>>,
    /// Packages it opens.
    pub opens: Vec<ModuleOpens<'a>>,
    /// Class indices of services it uses.
    pub uses: Table<'a, u16>,
    /// Services it provides.
    pub provides: Vec<ModuleProvides<'a>>,
}

record! {
    /// A dependence on another module.
    ModuleRequires {
        /// Module index.
        module: u16,
        /// transitive (0x20), static (0x40), synthetic, mandated.
        access: AccessFlags,
        /// Text index of the version it was compiled against, or 0.
        version: u16,
    }
}

/// An exported package.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModuleExports<'a> {
    /// The package.
    pub package: JStr<'a>,
    /// synthetic, mandated.
    pub access: AccessFlags,
    /// Module indices; empty for everybody.
    pub to: Table<'a, u16>,
}

/// An opened package.
pub type ModuleOpens<'a> = ModuleExports<'a>;

/// A provided service.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModuleProvides<'a> {
    /// The service class.
    pub service: JStr<'a>,
    /// Class indices of the implementations.
    pub with: Table<'a, u16>,
}

/// The hash of a dependent module.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModuleHash<'a> {
    /// The module's name.
    pub module: JStr<'a>,
    /// Its hash.
    pub hash: &'a [u8],
}

impl<'a> Module<'a> {
    pub(super) fn read(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Self> {
        Ok(Module {
            name: pool.module(r.u16()?)?,
            access: AccessFlags(r.u16()?),
            version: pool.optional_utf8(r.u16()?)?,
            requires: Table::counted(r)?,
            exports: packages(pool, r)?,
            opens: packages(pool, r)?,
            uses: Table::counted(r)?,
            provides: provides(pool, r)?,
        })
    }
}

fn packages<'a>(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Vec<ModuleExports<'a>>> {
    let count = r.u16()?;
    (0..count)
        .map(|_| {
            let package = pool.package(r.u16()?)?;
            Ok(ModuleExports {
                package,
                access: AccessFlags(r.u16()?),
                to: Table::counted(r)?,
            })
        })
        .collect()
}

fn provides<'a>(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Vec<ModuleProvides<'a>>> {
    let count = r.u16()?;
    (0..count)
        .map(|_| {
            Ok(ModuleProvides {
                service: pool.class(r.u16()?)?,
                with: Table::counted(r)?,
            })
        })
        .collect()
}

pub(super) fn hashes<'a>(
    pool: ConstantPool<'a>,
    r: &mut Reader<'a>,
) -> Result<Vec<ModuleHash<'a>>> {
    let count = r.u16()?;
    (0..count)
        .map(|_| {
            let module = pool.module(r.u16()?)?;
            let len = r.u16()?;
            Ok(ModuleHash {
                module,
                hash: r.take(usize::from(len))?,
            })
        })
        .collect()
}
