"""What is true of C and C++ alike; the facts of both read it."""

TOOLS = {"none": 0, "compile": 1, "make": 3, "cmake": 4, "autotools": 4}
FRAMEWORKS = ("stdio", "gtest", "catch2", "ctest", "tap", "automake", "lit", "cmocka", "cunit", "lines")
ERROR_LINE = (
    r"^.*(?:\b(?:fatal )?error: |: undefined reference to |: multiple definition of |: cannot find -l"
    r"|CMake Error|\*\*\* .*Stop\.).*"
)
IMPORT_LINE = r"^[ \t]*#[ \t]*include[ \t]*(?:<[\w./+-]+>)"
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tcc")
