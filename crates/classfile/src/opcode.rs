//! The one list of JVM opcodes. Decoder, encoder, printer, assembler and the stack effects of the
//! frame computation are all driven by the table at the end of this file.

/// How the bytes after an opcode are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum OperandKind {
    /// No operand.
    None,
    /// One signed byte: `bipush`.
    Byte,
    /// Two signed bytes: `sipush`.
    Short,
    /// A one-byte constant-pool index: `ldc`.
    ConstNarrow,
    /// A two-byte constant-pool index of a loadable constant.
    Const,
    /// A local variable index of one byte, or two after `wide`.
    Local,
    /// A local variable index that the opcode itself says: `iload_0`.
    LocalImplied,
    /// A local variable index and a signed delta: `iinc`.
    Iinc,
    /// A signed two-byte branch distance.
    Jump,
    /// A signed four-byte branch distance.
    JumpWide,
    /// Padding, default, low, high, targets.
    TableSwitch,
    /// Padding, default, count, pairs.
    LookupSwitch,
    /// A constant-pool index of a field reference.
    Field,
    /// A constant-pool index of a method reference.
    Method,
    /// The same with the argument size and a zero byte: `invokeinterface`.
    InterfaceMethod,
    /// A constant-pool index and two zero bytes: `invokedynamic`.
    Dynamic,
    /// A constant-pool index of a class.
    Class,
    /// A primitive type code: `newarray`.
    NewArray,
    /// A constant-pool index of a class and a number of dimensions.
    MultiNewArray,
    /// The prefix of a widened instruction.
    Wide,
}

macro_rules! opcodes {
    ($($value:literal $name:ident $mnemonic:literal $kind:ident $pops:literal => $pushes:literal;)*) => {
        /// A JVM instruction, named after its mnemonic.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op {
            $(#[doc = concat!("`", $mnemonic, "`: ", $pops, " → ", $pushes)] $name = $value,)*
        }

        impl Op {
            /// Every opcode, in the order of their values.
            pub const ALL: [Op; 202] = [$(Op::$name),*];
        }

        const MNEMONICS: [&str; 202] = [$($mnemonic),*];
        const KINDS: [OperandKind; 202] = [$(OperandKind::$kind),*];
        const POPS: [&str; 202] = [$($pops),*];
        const PUSHES: [&str; 202] = [$($pushes),*];
    };
}

/// Slots that a signature string of the table takes, or `None` if it says `*`.
const fn slots(signature: &str) -> Option<u8> {
    let bytes = signature.as_bytes();
    let mut i = 0;
    let mut slots = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'*' => return None,
            b'J' | b'D' => slots += 2,
            _ => slots += 1,
        }
        i += 1;
    }
    Some(slots)
}

const fn slot_table(signatures: &[&str; 202]) -> [Option<u8>; 202] {
    let mut table = [None; 202];
    let mut i = 0;
    while i < 202 {
        table[i] = slots(signatures[i]);
        i += 1;
    }
    table
}

const POP_SLOTS: [Option<u8>; 202] = slot_table(&POPS);
const PUSH_SLOTS: [Option<u8>; 202] = slot_table(&PUSHES);

impl Op {
    /// The instruction that a byte stands for.
    #[inline]
    pub const fn from_u8(byte: u8) -> Option<Op> {
        if (byte as usize) < Op::ALL.len() {
            Some(Op::ALL[byte as usize])
        } else {
            None
        }
    }

    /// The mnemonic of the specification.
    #[inline]
    pub const fn mnemonic(self) -> &'static str {
        MNEMONICS[self as usize]
    }

    /// The instruction with this mnemonic.
    pub fn from_mnemonic(text: &str) -> Option<Op> {
        Op::ALL.into_iter().find(|op| op.mnemonic() == text)
    }

    /// The layout of the operand bytes.
    #[inline]
    pub const fn kind(self) -> OperandKind {
        KINDS[self as usize]
    }

    /// What is popped, leftmost deepest: `I` int, `J` long, `F` float, `D` double, `A` reference,
    /// `X` any one-slot half; `*` if it depends on the operand.
    pub const fn pops(self) -> &'static str {
        POPS[self as usize]
    }

    /// What is pushed, in the letters of [`Op::pops`] and `N` for null; `*` if it depends on the
    /// operand, on what was popped or on a local.
    pub const fn pushes(self) -> &'static str {
        PUSHES[self as usize]
    }

    /// How many slots are popped; `None` if it depends on the operand.
    #[inline]
    pub const fn pop_slots(self) -> Option<u8> {
        POP_SLOTS[self as usize]
    }

    /// How many slots are pushed; `None` where [`Op::pushes`] says `*`.
    #[inline]
    pub const fn push_slots(self) -> Option<u8> {
        PUSH_SLOTS[self as usize]
    }

    /// True if control never goes on to the next instruction.
    #[inline]
    pub const fn ends_block(self) -> bool {
        self.is_return()
            || matches!(
                self,
                Op::Goto
                    | Op::GotoW
                    | Op::Athrow
                    | Op::Tableswitch
                    | Op::Lookupswitch
                    | Op::Ret
                    | Op::Jsr
                    | Op::JsrW
            )
    }

    /// True for the six return instructions.
    #[inline]
    pub const fn is_return(self) -> bool {
        Op::Ireturn as u8 <= self as u8 && self as u8 <= Op::Return as u8
    }

    /// True for the two-way branches (`ifeq` to `if_acmpne`, `ifnull`, `ifnonnull`).
    #[inline]
    pub const fn is_conditional(self) -> bool {
        let byte = self as u8;
        (Op::Ifeq as u8 <= byte && byte <= Op::IfAcmpne as u8)
            || matches!(self, Op::Ifnull | Op::Ifnonnull)
    }

    /// The conditional branch with the opposite condition.
    pub const fn negated(self) -> Option<Op> {
        if !self.is_conditional() {
            return None;
        }
        let byte = self as u8;
        // Pairs start at an odd value from ifeq (0x99) on and at an even one from ifnull (0xc6) on.
        let first = if byte >= Op::Ifnull as u8 {
            Op::Ifnull as u8
        } else {
            Op::Ifeq as u8
        };
        Op::from_u8(first + ((byte - first) ^ 1))
    }

    /// The general form of an instruction whose opcode holds the local's index
    /// (`iload` for `iload_2`); any other instruction is its own.
    #[inline]
    pub const fn general(self) -> Op {
        let byte = self as u8;
        let general = if Op::Iload0 as u8 <= byte && byte <= Op::Aload3 as u8 {
            Op::Iload as u8 + (byte - Op::Iload0 as u8) / 4
        } else if Op::Istore0 as u8 <= byte && byte <= Op::Astore3 as u8 {
            Op::Istore as u8 + (byte - Op::Istore0 as u8) / 4
        } else {
            byte
        };
        Op::ALL[general as usize]
    }

    /// The local that the opcode itself names: 2 for `iload_2`.
    #[inline]
    pub const fn implied_local(self) -> Option<u16> {
        let byte = self as u8;
        if Op::Iload0 as u8 <= byte && byte <= Op::Aload3 as u8 {
            Some(((byte - Op::Iload0 as u8) % 4) as u16)
        } else if Op::Istore0 as u8 <= byte && byte <= Op::Astore3 as u8 {
            Some(((byte - Op::Istore0 as u8) % 4) as u16)
        } else {
            None
        }
    }

    /// True if this loads a local variable, in the general or the implied form.
    pub const fn is_load(self) -> bool {
        let op = self.general() as u8;
        Op::Iload as u8 <= op && op <= Op::Aload as u8
    }

    /// True if this stores into a local variable, in the general or the implied form.
    pub const fn is_store(self) -> bool {
        let op = self.general() as u8;
        Op::Istore as u8 <= op && op <= Op::Astore as u8
    }

    /// True if this is one of the five invocation instructions.
    pub const fn is_invoke(self) -> bool {
        Op::Invokevirtual as u8 <= self as u8 && self as u8 <= Op::Invokedynamic as u8
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.mnemonic())
    }
}

#[rustfmt::skip]
opcodes! {
    0x00 Nop "nop" None "" => "";
    0x01 AconstNull "aconst_null" None "" => "N";
    0x02 IconstM1 "iconst_m1" None "" => "I";
    0x03 Iconst0 "iconst_0" None "" => "I";
    0x04 Iconst1 "iconst_1" None "" => "I";
    0x05 Iconst2 "iconst_2" None "" => "I";
    0x06 Iconst3 "iconst_3" None "" => "I";
    0x07 Iconst4 "iconst_4" None "" => "I";
    0x08 Iconst5 "iconst_5" None "" => "I";
    0x09 Lconst0 "lconst_0" None "" => "J";
    0x0a Lconst1 "lconst_1" None "" => "J";
    0x0b Fconst0 "fconst_0" None "" => "F";
    0x0c Fconst1 "fconst_1" None "" => "F";
    0x0d Fconst2 "fconst_2" None "" => "F";
    0x0e Dconst0 "dconst_0" None "" => "D";
    0x0f Dconst1 "dconst_1" None "" => "D";
    0x10 Bipush "bipush" Byte "" => "I";
    0x11 Sipush "sipush" Short "" => "I";
    0x12 Ldc "ldc" ConstNarrow "" => "*";
    0x13 LdcW "ldc_w" Const "" => "*";
    0x14 Ldc2W "ldc2_w" Const "" => "*";
    0x15 Iload "iload" Local "" => "I";
    0x16 Lload "lload" Local "" => "J";
    0x17 Fload "fload" Local "" => "F";
    0x18 Dload "dload" Local "" => "D";
    0x19 Aload "aload" Local "" => "*";
    0x1a Iload0 "iload_0" LocalImplied "" => "I";
    0x1b Iload1 "iload_1" LocalImplied "" => "I";
    0x1c Iload2 "iload_2" LocalImplied "" => "I";
    0x1d Iload3 "iload_3" LocalImplied "" => "I";
    0x1e Lload0 "lload_0" LocalImplied "" => "J";
    0x1f Lload1 "lload_1" LocalImplied "" => "J";
    0x20 Lload2 "lload_2" LocalImplied "" => "J";
    0x21 Lload3 "lload_3" LocalImplied "" => "J";
    0x22 Fload0 "fload_0" LocalImplied "" => "F";
    0x23 Fload1 "fload_1" LocalImplied "" => "F";
    0x24 Fload2 "fload_2" LocalImplied "" => "F";
    0x25 Fload3 "fload_3" LocalImplied "" => "F";
    0x26 Dload0 "dload_0" LocalImplied "" => "D";
    0x27 Dload1 "dload_1" LocalImplied "" => "D";
    0x28 Dload2 "dload_2" LocalImplied "" => "D";
    0x29 Dload3 "dload_3" LocalImplied "" => "D";
    0x2a Aload0 "aload_0" LocalImplied "" => "*";
    0x2b Aload1 "aload_1" LocalImplied "" => "*";
    0x2c Aload2 "aload_2" LocalImplied "" => "*";
    0x2d Aload3 "aload_3" LocalImplied "" => "*";
    0x2e Iaload "iaload" None "AI" => "I";
    0x2f Laload "laload" None "AI" => "J";
    0x30 Faload "faload" None "AI" => "F";
    0x31 Daload "daload" None "AI" => "D";
    0x32 Aaload "aaload" None "AI" => "*";
    0x33 Baload "baload" None "AI" => "I";
    0x34 Caload "caload" None "AI" => "I";
    0x35 Saload "saload" None "AI" => "I";
    0x36 Istore "istore" Local "I" => "";
    0x37 Lstore "lstore" Local "J" => "";
    0x38 Fstore "fstore" Local "F" => "";
    0x39 Dstore "dstore" Local "D" => "";
    0x3a Astore "astore" Local "A" => "";
    0x3b Istore0 "istore_0" LocalImplied "I" => "";
    0x3c Istore1 "istore_1" LocalImplied "I" => "";
    0x3d Istore2 "istore_2" LocalImplied "I" => "";
    0x3e Istore3 "istore_3" LocalImplied "I" => "";
    0x3f Lstore0 "lstore_0" LocalImplied "J" => "";
    0x40 Lstore1 "lstore_1" LocalImplied "J" => "";
    0x41 Lstore2 "lstore_2" LocalImplied "J" => "";
    0x42 Lstore3 "lstore_3" LocalImplied "J" => "";
    0x43 Fstore0 "fstore_0" LocalImplied "F" => "";
    0x44 Fstore1 "fstore_1" LocalImplied "F" => "";
    0x45 Fstore2 "fstore_2" LocalImplied "F" => "";
    0x46 Fstore3 "fstore_3" LocalImplied "F" => "";
    0x47 Dstore0 "dstore_0" LocalImplied "D" => "";
    0x48 Dstore1 "dstore_1" LocalImplied "D" => "";
    0x49 Dstore2 "dstore_2" LocalImplied "D" => "";
    0x4a Dstore3 "dstore_3" LocalImplied "D" => "";
    0x4b Astore0 "astore_0" LocalImplied "A" => "";
    0x4c Astore1 "astore_1" LocalImplied "A" => "";
    0x4d Astore2 "astore_2" LocalImplied "A" => "";
    0x4e Astore3 "astore_3" LocalImplied "A" => "";
    0x4f Iastore "iastore" None "AII" => "";
    0x50 Lastore "lastore" None "AIJ" => "";
    0x51 Fastore "fastore" None "AIF" => "";
    0x52 Dastore "dastore" None "AID" => "";
    0x53 Aastore "aastore" None "AIA" => "";
    0x54 Bastore "bastore" None "AII" => "";
    0x55 Castore "castore" None "AII" => "";
    0x56 Sastore "sastore" None "AII" => "";
    0x57 Pop "pop" None "X" => "";
    0x58 Pop2 "pop2" None "XX" => "";
    0x59 Dup "dup" None "X" => "*";
    0x5a DupX1 "dup_x1" None "XX" => "*";
    0x5b DupX2 "dup_x2" None "XXX" => "*";
    0x5c Dup2 "dup2" None "XX" => "*";
    0x5d Dup2X1 "dup2_x1" None "XXX" => "*";
    0x5e Dup2X2 "dup2_x2" None "XXXX" => "*";
    0x5f Swap "swap" None "XX" => "*";
    0x60 Iadd "iadd" None "II" => "I";
    0x61 Ladd "ladd" None "JJ" => "J";
    0x62 Fadd "fadd" None "FF" => "F";
    0x63 Dadd "dadd" None "DD" => "D";
    0x64 Isub "isub" None "II" => "I";
    0x65 Lsub "lsub" None "JJ" => "J";
    0x66 Fsub "fsub" None "FF" => "F";
    0x67 Dsub "dsub" None "DD" => "D";
    0x68 Imul "imul" None "II" => "I";
    0x69 Lmul "lmul" None "JJ" => "J";
    0x6a Fmul "fmul" None "FF" => "F";
    0x6b Dmul "dmul" None "DD" => "D";
    0x6c Idiv "idiv" None "II" => "I";
    0x6d Ldiv "ldiv" None "JJ" => "J";
    0x6e Fdiv "fdiv" None "FF" => "F";
    0x6f Ddiv "ddiv" None "DD" => "D";
    0x70 Irem "irem" None "II" => "I";
    0x71 Lrem "lrem" None "JJ" => "J";
    0x72 Frem "frem" None "FF" => "F";
    0x73 Drem "drem" None "DD" => "D";
    0x74 Ineg "ineg" None "I" => "I";
    0x75 Lneg "lneg" None "J" => "J";
    0x76 Fneg "fneg" None "F" => "F";
    0x77 Dneg "dneg" None "D" => "D";
    0x78 Ishl "ishl" None "II" => "I";
    0x79 Lshl "lshl" None "JI" => "J";
    0x7a Ishr "ishr" None "II" => "I";
    0x7b Lshr "lshr" None "JI" => "J";
    0x7c Iushr "iushr" None "II" => "I";
    0x7d Lushr "lushr" None "JI" => "J";
    0x7e Iand "iand" None "II" => "I";
    0x7f Land "land" None "JJ" => "J";
    0x80 Ior "ior" None "II" => "I";
    0x81 Lor "lor" None "JJ" => "J";
    0x82 Ixor "ixor" None "II" => "I";
    0x83 Lxor "lxor" None "JJ" => "J";
    0x84 Iinc "iinc" Iinc "" => "";
    0x85 I2l "i2l" None "I" => "J";
    0x86 I2f "i2f" None "I" => "F";
    0x87 I2d "i2d" None "I" => "D";
    0x88 L2i "l2i" None "J" => "I";
    0x89 L2f "l2f" None "J" => "F";
    0x8a L2d "l2d" None "J" => "D";
    0x8b F2i "f2i" None "F" => "I";
    0x8c F2l "f2l" None "F" => "J";
    0x8d F2d "f2d" None "F" => "D";
    0x8e D2i "d2i" None "D" => "I";
    0x8f D2l "d2l" None "D" => "J";
    0x90 D2f "d2f" None "D" => "F";
    0x91 I2b "i2b" None "I" => "I";
    0x92 I2c "i2c" None "I" => "I";
    0x93 I2s "i2s" None "I" => "I";
    0x94 Lcmp "lcmp" None "JJ" => "I";
    0x95 Fcmpl "fcmpl" None "FF" => "I";
    0x96 Fcmpg "fcmpg" None "FF" => "I";
    0x97 Dcmpl "dcmpl" None "DD" => "I";
    0x98 Dcmpg "dcmpg" None "DD" => "I";
    0x99 Ifeq "ifeq" Jump "I" => "";
    0x9a Ifne "ifne" Jump "I" => "";
    0x9b Iflt "iflt" Jump "I" => "";
    0x9c Ifge "ifge" Jump "I" => "";
    0x9d Ifgt "ifgt" Jump "I" => "";
    0x9e Ifle "ifle" Jump "I" => "";
    0x9f IfIcmpeq "if_icmpeq" Jump "II" => "";
    0xa0 IfIcmpne "if_icmpne" Jump "II" => "";
    0xa1 IfIcmplt "if_icmplt" Jump "II" => "";
    0xa2 IfIcmpge "if_icmpge" Jump "II" => "";
    0xa3 IfIcmpgt "if_icmpgt" Jump "II" => "";
    0xa4 IfIcmple "if_icmple" Jump "II" => "";
    0xa5 IfAcmpeq "if_acmpeq" Jump "AA" => "";
    0xa6 IfAcmpne "if_acmpne" Jump "AA" => "";
    0xa7 Goto "goto" Jump "" => "";
    0xa8 Jsr "jsr" Jump "" => "*";
    0xa9 Ret "ret" Local "" => "";
    0xaa Tableswitch "tableswitch" TableSwitch "I" => "";
    0xab Lookupswitch "lookupswitch" LookupSwitch "I" => "";
    0xac Ireturn "ireturn" None "I" => "";
    0xad Lreturn "lreturn" None "J" => "";
    0xae Freturn "freturn" None "F" => "";
    0xaf Dreturn "dreturn" None "D" => "";
    0xb0 Areturn "areturn" None "A" => "";
    0xb1 Return "return" None "" => "";
    0xb2 Getstatic "getstatic" Field "" => "*";
    0xb3 Putstatic "putstatic" Field "*" => "";
    0xb4 Getfield "getfield" Field "*" => "*";
    0xb5 Putfield "putfield" Field "*" => "";
    0xb6 Invokevirtual "invokevirtual" Method "*" => "*";
    0xb7 Invokespecial "invokespecial" Method "*" => "*";
    0xb8 Invokestatic "invokestatic" Method "*" => "*";
    0xb9 Invokeinterface "invokeinterface" InterfaceMethod "*" => "*";
    0xba Invokedynamic "invokedynamic" Dynamic "*" => "*";
    0xbb New "new" Class "" => "*";
    0xbc Newarray "newarray" NewArray "I" => "*";
    0xbd Anewarray "anewarray" Class "I" => "*";
    0xbe Arraylength "arraylength" None "A" => "I";
    0xbf Athrow "athrow" None "A" => "";
    0xc0 Checkcast "checkcast" Class "A" => "*";
    0xc1 Instanceof "instanceof" Class "A" => "I";
    0xc2 Monitorenter "monitorenter" None "A" => "";
    0xc3 Monitorexit "monitorexit" None "A" => "";
    0xc4 Wide "wide" Wide "" => "";
    0xc5 Multianewarray "multianewarray" MultiNewArray "*" => "*";
    0xc6 Ifnull "ifnull" Jump "A" => "";
    0xc7 Ifnonnull "ifnonnull" Jump "A" => "";
    0xc8 GotoW "goto_w" JumpWide "" => "";
    0xc9 JsrW "jsr_w" JumpWide "" => "*";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_dense_and_negation_is_an_involution() {
        for (i, op) in Op::ALL.into_iter().enumerate() {
            assert_eq!(op as usize, i);
            assert_eq!(Op::from_mnemonic(op.mnemonic()), Some(op));
            if let Some(negated) = op.negated() {
                assert_ne!(negated, op);
                assert_eq!(negated.negated(), Some(op));
            }
        }
        assert_eq!(Op::IfIcmplt.negated(), Some(Op::IfIcmpge));
        assert_eq!(Op::Ifnull.negated(), Some(Op::Ifnonnull));
        assert_eq!(Op::from_u8(202), None);
    }

    #[test]
    fn implied_locals_have_a_general_form() {
        assert_eq!(
            (Op::Aload3.general(), Op::Aload3.implied_local()),
            (Op::Aload, Some(3))
        );
        assert_eq!(
            (Op::Lstore1.general(), Op::Lstore1.implied_local()),
            (Op::Lstore, Some(1))
        );
        assert_eq!(
            (Op::Iaload.general(), Op::Iaload.implied_local()),
            (Op::Iaload, None)
        );
        for op in Op::ALL {
            assert_eq!(
                op.kind() == OperandKind::LocalImplied,
                op.implied_local().is_some()
            );
        }
    }
}
