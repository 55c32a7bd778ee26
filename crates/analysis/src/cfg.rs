//! The control-flow graph of a method, with exception edges.

use braid_classfile::{CodeAttribute, Error, ErrorKind, Instruction, Result};

use crate::Graph;

/// A run of instructions with one entry and one exit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Index of the first instruction in [`Cfg::instructions`].
    pub first: u32,
    /// One past the last.
    pub end: u32,
}

/// A method's instructions cut into blocks. Block 0 is the entry.
#[derive(Debug)]
pub struct Cfg<'a> {
    /// All instructions in order.
    pub instructions: Vec<Instruction<'a>>,
    /// The blocks in order of their place.
    pub blocks: Vec<Block>,
    /// Jumps, falls and switches.
    pub normal: Graph,
    /// From every block inside a try range to its handlers: an exception may leave before any instruction of it.
    pub exceptional: Graph,
    /// Both together.
    pub all: Graph,
    block_of: Vec<u32>,
}

impl<'a> Cfg<'a> {
    /// Cuts a method's code into blocks.
    pub fn new(code: CodeAttribute<'a>) -> Result<Self> {
        let instructions: Vec<_> = code.instructions().collect::<Result<_>>()?;
        let places = Places::new(&instructions, code.bytes.len());
        let starts = leaders(&instructions, code, &places)?;
        let blocks = cut(&starts);
        let mut block_of = Vec::with_capacity(instructions.len());
        for (number, block) in blocks.iter().enumerate() {
            block_of.resize(block.end as usize, number as u32);
        }
        let normal = normal_edges(&instructions, &blocks, &block_of, &places)?;
        let exceptional = exceptional_edges(code, &instructions, &blocks, &block_of, &places)?;
        let count = blocks.len();
        Ok(Self {
            all: Graph::new(count, normal.iter().chain(&exceptional).copied()),
            normal: Graph::new(count, normal),
            exceptional: Graph::new(count, exceptional),
            instructions,
            blocks,
            block_of,
        })
    }

    /// The block an instruction stands in, by its index.
    pub fn block_of(&self, instruction: u32) -> u32 {
        self.block_of[instruction as usize]
    }

    /// The instructions of a block.
    pub fn instructions_of(&self, block: u32) -> &[Instruction<'a>] {
        let Block { first, end } = self.blocks[block as usize];
        &self.instructions[first as usize..end as usize]
    }

    /// The index of the instruction at a pc, if one begins there.
    pub fn index_at(&self, pc: u32) -> Option<u32> {
        self.instructions
            .binary_search_by_key(&pc, |i| i.pc)
            .ok()
            .map(|i| i as u32)
    }

    /// The blocks that end the method: returns and throws.
    pub fn exits(&self) -> Vec<u32> {
        let ends = |b: &u32| {
            let last = self
                .instructions_of(*b)
                .last()
                .expect("a block has an instruction");
            last.op.is_return() || last.op == braid_classfile::Op::Athrow
        };
        (0..self.blocks.len() as u32).filter(ends).collect()
    }
}

/// From pc to instruction index.
struct Places(Vec<u32>);

impl Places {
    fn new(instructions: &[Instruction<'_>], length: usize) -> Self {
        let mut index = vec![u32::MAX; length + 1];
        for (i, instruction) in instructions.iter().enumerate() {
            index[instruction.pc as usize] = i as u32;
        }
        index[length] = instructions.len() as u32;
        Self(index)
    }

    fn at(&self, pc: i64) -> Result<u32> {
        let index = usize::try_from(pc)
            .ok()
            .and_then(|pc| self.0.get(pc))
            .copied();
        index.filter(|&i| i != u32::MAX).ok_or_else(|| Error {
            offset: usize::try_from(pc).unwrap_or(0),
            kind: ErrorKind::BadTarget {
                what: "jump or range",
                target: pc,
            },
        })
    }
}

/// For each instruction, whether a block begins there.
fn leaders(
    code: &[Instruction<'_>],
    attribute: CodeAttribute<'_>,
    places: &Places,
) -> Result<Vec<bool>> {
    let mut starts = vec![false; code.len() + 1];
    starts[0] = true;
    for (i, instruction) in code.iter().enumerate() {
        let targets = instruction.operand.targets();
        if !targets.is_empty() || instruction.op.ends_block() {
            starts[i + 1] = true;
        }
        for target in targets {
            starts[places.at(target)? as usize] = true;
        }
    }
    for entry in attribute.exceptions.iter() {
        for pc in [entry.start_pc, entry.end_pc, entry.handler_pc] {
            starts[places.at(pc.into())? as usize] = true;
        }
    }
    starts.pop();
    Ok(starts)
}

fn cut(starts: &[bool]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (i, _) in starts.iter().enumerate().filter(|(_, start)| **start) {
        if let Some(last) = blocks.last_mut() {
            last.end = i as u32;
        }
        blocks.push(Block {
            first: i as u32,
            end: starts.len() as u32,
        });
    }
    blocks
}

fn normal_edges(
    instructions: &[Instruction<'_>],
    blocks: &[Block],
    block_of: &[u32],
    places: &Places,
) -> Result<Vec<(u32, u32)>> {
    let mut edges = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let last = &instructions[block.end as usize - 1];
        for target in last.operand.targets() {
            let index = places.at(target)? as usize;
            let to = block_of.get(index).ok_or(Error {
                offset: index,
                kind: ErrorKind::BadTarget {
                    what: "jump",
                    target,
                },
            })?;
            edges.push((number as u32, *to));
        }
        if !last.op.ends_block() && (block.end as usize) < instructions.len() {
            edges.push((number as u32, number as u32 + 1));
        }
    }
    Ok(edges)
}

fn exceptional_edges(
    code: CodeAttribute<'_>,
    instructions: &[Instruction<'_>],
    blocks: &[Block],
    block_of: &[u32],
    places: &Places,
) -> Result<Vec<(u32, u32)>> {
    let mut edges = Vec::new();
    for entry in code.exceptions.iter() {
        let start = places.at(entry.start_pc.into())?;
        let end = places.at(entry.end_pc.into())?;
        let handler = places.at(entry.handler_pc.into())? as usize;
        if start >= end || handler >= instructions.len() {
            return Err(Error {
                offset: entry.start_pc.into(),
                kind: ErrorKind::BadTarget {
                    what: "try range",
                    target: entry.start_pc.into(),
                },
            });
        }
        let covered = block_of[start as usize]..=block_of[end as usize - 1];
        debug_assert!(blocks[*covered.start() as usize].first == start);
        edges.extend(covered.map(|block| (block, block_of[handler])));
    }
    Ok(edges)
}
