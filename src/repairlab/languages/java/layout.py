"""Whether a Java program can see how its own text is laid out; see `own_text`."""

from repairlab.languages.source_introspection import looking

_LOOKING = (
    r"StackTrace|StackWalker|LineNumber|StackFrame|fillIn|Throwables|SourceFile|Logger|reflect|invoke|forName|getResource|ScriptEngine"
    r"|listFiles|Files\.(?:walk|list|find|newDirectoryStream)|ToolProvider|Instrumentation"
    # letters that only the compiler sees
    r"|\\u+[0-9a-fA-F]"
)
_WAYS = (
    rf"{_LOOKING}"
    # files and programs: of the JDK only packages that have none, but for these words
    r"|File|Path|\bUR[LI]|Process|Runtime\b|exec\b|\b(?:javax|jdk|sun|netscape|org\s*\.\s*(?:w3c|xml|ietf|junit))\b"
    r"|\bjava\b(?!\s*\.\s*(?:util|lang|io|math|text|time)\b)|\bjava\s*\.\s*lang\s*\.(?!\s*[A-Z])"
    r"|\bjava\s*\.\s*util\s*\.(?!\s*(?:[A-Z*]|(?:concurrent|function|random|regex|stream)\b))"
    # classes by name, and traces that are written by others
    r"|ClassLoader|loadClass|ServiceLoader|ResourceBundle|ObjectInput|Unsafe|setErr|dumpStack|System\s*\.\s*load|Module"
)


def sees(source: str, *, of_others: bool) -> bool:
    """Return whether a Java text may look at its own layout; a test, which sees that `of_others`, says so."""
    return looking(_LOOKING if of_others else _WAYS).search(source) is not None
