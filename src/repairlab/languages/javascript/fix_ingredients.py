"""What fixes of JavaScript programs are often made of; its facts hold it."""

from repairlab.languages.fix_ingredients import Idioms

IDIOMS = Idioms(
    stop="process.exit(97);",
    extremes=("Infinity", "-Infinity", "null"),
    releases=("{0}.sort();", "{0}.pop();", "{0}.reverse();", "{0}.clear();"),
    adders=("push", "add", "set"),
    appliers=("Math.abs", "Number", "String", "Math.floor", "Boolean"),
    conversions=("{0}.toLowerCase()", "Number({0})", "String({0})", "{0}.length", "Math.abs({0})"),
    exceptions=("Error", "TypeError", "RangeError", "SyntaxError"),
    families="""
        push unshift pop shift concat; slice splice; indexOf lastIndexOf findIndex; find filter some every; map
        forEach filter flatMap; startsWith endsWith includes; toLowerCase toUpperCase; trim trimStart trimEnd; replace
        replaceAll; min max; floor ceil round trunc; parseInt parseFloat Number; get has delete; set add; keys values
        entries; charAt charCodeAt codePointAt; padStart padEnd; substring substr slice; test match exec; sort
        reverse; reduce reduceRight; all allSettled race any; isNaN isFinite isInteger
    """,
    appended=(".length", ".trim()", ".toLowerCase()", ".slice()", ".toString()", ".size", ".reverse()", ".sort((a, b) => a - b)"),
    constants=("0", "1", "null", "(a, b) => a - b"),
    known_names="""
        console log require module exports Object Array Math Number String Map Set Promise JSON process Symbol
        undefined this
    """,
    keywords="""
        function return if else while for of in const let var class new switch case break continue async await yield
        import export from throw try catch finally typeof
    """,
)
