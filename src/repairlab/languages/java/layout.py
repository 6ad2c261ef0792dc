"""Whether a Java program can see how its own text is laid out; see `own_text`. Called by its syntax."""

from repairlab.languages.own_text import looking

_WAYS = (
    r"StackTrace|StackWalker|LineNumber|StackFrame|fillIn|Throwables|SourceFile|Logger|reflect|invoke|forName|getResource|ScriptEngine"
    r"|listFiles|Files\.(?:walk|list|find|newDirectoryStream)|ToolProvider|Instrumentation"
    # letters that only the compiler sees
    r"|\\u+[0-9a-fA-F]"
)


def sees(source: str) -> bool:
    """Return whether a Java text may look at its own layout."""
    return looking(_WAYS).search(source) is not None
