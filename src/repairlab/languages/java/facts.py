"""What is true of Java; `languages.facts` reads it."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import CheckerStart, Facts
from repairlab.languages.java.fix_ingredients import IDIOMS

_SELF_TEST = """\
public class Main {
    public static void main(String[] args) throws java.io.IOException {
        System.out.println(new java.io.BufferedReader(new java.io.InputStreamReader(System.in)).readLine());
    }
}
"""
_START = """\
public final class RepairlabStart {
    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> fail(problem));
        try {
            var main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) java.util.Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (java.lang.reflect.InvocationTargetException problem) {
            fail(problem.getCause());
        } catch (ReflectiveOperationException problem) {
            fail(problem);
        }
    }

    private static void fail(Throwable problem) {
        problem.printStackTrace();
        System.err.println(problem);
        Runtime.getRuntime().halt(134);
    }
}
"""

FACTS = Facts(
    name="java",
    title="Java",
    extensions=(".java",),
    file="Main.java",
    self_test=_SELF_TEST,
    build=Build(tool="javac"),
    tools={"none": 0, "javac": 2},
    frameworks=("stdio", "junit4", "junit5"),
    # What is not found, or does not fit, is named two or more lines below, behind the line of the source.
    error_line=r"^(?:[^\s:][^:\n]*\.java:\d+: )?error: .+(?:(?:\n(?!.*error: ).*){0,5}?\n\s+(?:symbol|reason):\s+(?P<more>.+))?",
    fences=("java",),
    comments=("//", "/*"),
    grammar="tree_sitter_java",
    flow="repairlab.languages.java.flow:FLOW",
    rejection="repairlab.languages.java.rejection:rejection",
    opaque=r'"""(?>(?:[^"\\]++|\\[\s\S]|"(?!""))*)"""|"(?>(?:[^"\\\n]++|\\.)*)"|\'(?>(?:[^\'\\\n]++|\\.)*)\'|//[^\n]*+|/\*[\s\S]*?\*/',
    idioms=IDIOMS,
    traits=frozenset({"java", "typed"}),
    has_free_functions=False,
    method_around="class A {\n%s\n};",
    import_line=r"^[ \t]*import[ \t]+(?:static[ \t]+)?[\w.]+(?:\.\*)?[ \t]*;",
    imports="last part",
    package_line=r"^[ \t]*package[ \t][^;\n]*;[^\n]*\n",
    checker=CheckerStart(program="Checker", file="RepairlabStart.java", starts="RepairlabStart", text=_START),
    class_nodes=frozenset(
        {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration"}
    ),
    type_name=r"[A-Z]\w*[a-z]\w*",
)
