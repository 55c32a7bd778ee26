//! Methods of the JDK of which it is known what they do.

/// Whether a method of the JDK computes a value from its arguments and does nothing else.
pub(crate) fn computes(owner: &str, name: &str) -> bool {
    let names: &[&str] = match owner {
        "java/lang/Math" | "java/lang/StrictMath" => return name != "random",
        "java/lang/String" => &[
            "length",
            "charAt",
            "isEmpty",
            "equals",
            "indexOf",
            "lastIndexOf",
            "startsWith",
            "endsWith",
            "compareTo",
            "codePointAt",
        ],
        "java/lang/Character" => &[
            "isDigit",
            "isLetter",
            "isLetterOrDigit",
            "isWhitespace",
            "isUpperCase",
            "isLowerCase",
            "toUpperCase",
            "toLowerCase",
            "charCount",
            "isSurrogate",
        ],
        "java/lang/Integer" | "java/lang/Long" => &[
            "intValue",
            "longValue",
            "compare",
            "bitCount",
            "numberOfLeadingZeros",
            "numberOfTrailingZeros",
            "highestOneBit",
            "signum",
            "max",
            "min",
        ],
        "java/lang/Double" | "java/lang/Float" => &[
            "isNaN",
            "isInfinite",
            "compare",
            "doubleValue",
            "floatValue",
            "doubleToLongBits",
            "doubleToRawLongBits",
            "longBitsToDouble",
            "floatToIntBits",
            "floatToRawIntBits",
            "intBitsToFloat",
        ],
        _ => &[],
    };
    names.contains(&name)
}

/// Whether a method of the JDK depends on nothing but its arguments and their contents, and changes nothing but these: no
/// clock, no chance, no identity of objects, no locale, no static field; and calls no method of the program. A snapshot
/// holds the contents of all these classes, whose objects are of just that class.
pub(super) fn works_on_arguments(owner: &str, name: &str, descriptor: &str) -> bool {
    let parameters = parameters(descriptor);
    let plain = || parameters.iter().all(|parameter| is_plain(parameter));
    let numbers = || parameters.iter().all(|parameter| parameter.len() <= 1);
    match owner {
        "java/lang/Object" => name == "<init>",
        "java/lang/System" => name == "arraycopy",
        "java/util/Arrays" => match name {
            "copyOf" | "copyOfRange" | "fill" => true,
            "equals" => parameters.iter().all(|array| array.len() == 2),
            _ => false,
        },
        "java/lang/Character" => {
            numbers() && (name.starts_with("is") || OF_BOXES.contains(&name))
                || OF_CHARACTERS.contains(&name) && plain()
        }
        "java/lang/Integer" | "java/lang/Long" | "java/lang/Short" | "java/lang/Byte"
        | "java/lang/Boolean" | "java/lang/Float" | "java/lang/Double" => {
            OF_BOXES.contains(&name) && plain()
        }
        "java/lang/String" => OF_STRINGS.contains(&name) && plain(),
        "java/lang/StringBuilder" | "java/lang/StringBuffer" => {
            OF_BUILDERS.contains(&name) && plain()
        }
        "java/text/ParsePosition" => {
            let names = [
                "<init>",
                "getIndex",
                "setIndex",
                "getErrorIndex",
                "setErrorIndex",
            ];
            names.contains(&name)
        }
        _ => false,
    }
}

/// The descriptors of a method's parameters.
fn parameters(descriptor: &str) -> Vec<&str> {
    let mut rest = descriptor
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map_or("", |(parameters, _)| parameters);
    let mut parameters = Vec::new();
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let length = match element.strip_prefix('L') {
            Some(_) => element.find(';').unwrap_or(element.len() - 1),
            None => 0,
        };
        let (parameter, more) =
            rest.split_at((rest.len() - element.len() + length + 1).min(rest.len()));
        parameters.push(parameter);
        rest = more;
    }
    parameters
}

/// Whether all that can be passed is a number, an array of characters or of one of a few final classes.
fn is_plain(parameter: &str) -> bool {
    let known = [
        "[C",
        "Ljava/lang/String;",
        "Ljava/lang/StringBuilder;",
        "Ljava/lang/StringBuffer;",
    ];
    parameter.len() == 1 || known.contains(&parameter)
}

const OF_BOXES: &[&str] = &[
    "valueOf",
    "toString",
    "hashCode",
    "compare",
    "byteValue",
    "shortValue",
    "charValue",
    "intValue",
    "longValue",
    "floatValue",
    "doubleValue",
    "booleanValue",
    "parseInt",
    "parseLong",
    "parseBoolean",
];

const OF_CHARACTERS: &[&str] = &[
    "getNumericValue",
    "digit",
    "forDigit",
    "getType",
    "reverseBytes",
    "toChars",
    "toCodePoint",
    "toTitleCase",
    "codePointAt",
];

const OF_STRINGS: &[&str] = &[
    "<init>",
    "substring",
    "concat",
    "toCharArray",
    "getChars",
    "valueOf",
    "copyValueOf",
    "toString",
    "trim",
    "strip",
    "isBlank",
    "repeat",
    "regionMatches",
    "equalsIgnoreCase",
    "compareToIgnoreCase",
    "hashCode",
    "replace",
    "codePointBefore",
    "codePointCount",
    "offsetByCodePoints",
    "contentEquals",
];

const OF_BUILDERS: &[&str] = &[
    "<init>",
    "append",
    "appendCodePoint",
    "insert",
    "replace",
    "delete",
    "deleteCharAt",
    "setLength",
    "setCharAt",
    "reverse",
    "length",
    "charAt",
    "codePointAt",
    "capacity",
    "ensureCapacity",
    "trimToSize",
    "toString",
    "substring",
    "indexOf",
    "lastIndexOf",
    "getChars",
];
