"""What is true of Java, what fixes of its programs are often made of, and how values flow through them."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import CheckerStart, CodexglueNodes, Defines, Facts, FlowNodes, Idioms, Probe

PROBE = Probe(
    call="RepairlabHits@FILE@.hit(@N@);",
    tail="""
final class RepairlabHits@FILE@ {
  private static final boolean[] SEEN = new boolean[@COUNT@];
  static void hit(int n) {
    if (SEEN[n - @FIRST@]) return;
    SEEN[n - @FIRST@] = true;
    for (java.lang.String place : new java.lang.String[] {@PLACES@})
      try {
        java.nio.file.Files.write(
            java.nio.file.Paths.get(place), (n + "\\n").getBytes(), java.nio.file.StandardOpenOption.APPEND);
        return;
      } catch (java.lang.Exception absent) {
      }
  }
}
""",
)

IDIOMS = Idioms(
    probe=PROBE,
    extremes=(
        "Integer.MAX_VALUE",
        "Integer.MIN_VALUE",
        "Long.MAX_VALUE",
        "Long.MIN_VALUE",
        "Double.MAX_VALUE",
        "-Double.MAX_VALUE",
    ),
    releases=("{0}.close();", "{0}.clear();", "{0}.flush();", "{0}.unlock();", "Collections.sort({0});", "{0}.setLength(0);"),
    adders=("add", "append", "push"),
    appliers=("Math.abs",),
    conversions=("{0}.toLowerCase()", "Math.abs({0})", "{0}.trim()", "{0}.length()", "{0}.size()"),
    exceptions=(
        "IllegalArgumentException",
        "NullPointerException",
        "IllegalStateException",
        "IndexOutOfBoundsException",
        "Exception",
        "RuntimeException",
        "NumberFormatException",
        "ArithmeticException",
        "NoSuchElementException",
        "UnsupportedOperationException",
        "IOException",
    ),
    families="""
        equals equalsIgnoreCase contains compareTo; compareTo compareToIgnoreCase; startsWith endsWith contains;
        indexOf lastIndexOf; trim strip; toLowerCase toUpperCase; add addAll offer push addLast addFirst; remove poll
        pop removeLast removeFirst pollLast pollFirst; peek poll pop peekFirst peekLast; get getOrDefault; put
        putIfAbsent; min max; floor ceil round; replace replaceAll replaceFirst; containsKey containsValue contains;
        isEmpty isBlank; isDigit isLetter isLetterOrDigit isAlphabetic; isUpperCase isLowerCase; print println;
        nextInt nextLong next nextDouble; parseInt parseLong parseDouble valueOf; hasNext hasNextLine hasNextInt; next
        nextLine; keySet values entrySet; getKey getValue; append insert; size length; intValue longValue doubleValue;
        floorKey ceilingKey lowerKey higherKey; firstKey lastKey; headSet tailSet; anyMatch allMatch noneMatch; sqrt
        abs pow cbrt; set add put; lock unlock; wait notify notifyAll; start run join; read readLine; isPresent
        isEmpty; sort reverse
    """,
    appended=(
        ".trim()",
        ".toLowerCase()",
        ".length()",
        ".size()",
        ".toString()",
        ".clone()",
        ".length",
        ".getKey()",
        ".getValue()",
    ),
    constants=("0", "1"),
    known_names="""
        System out String Math Integer println print length size
    """,
    keywords="""
        return if else while for int void char double public private static class new switch case break continue
        String boolean final extends implements import package throws
    """,
    declared=("int", "String", "long", "double", "var"),
    types=("int", "String", "double", "boolean", "long", "char", "void", "Object"),
    casts=("long", "double", "int"),
    wider={
        "int": ("long", "double"),
        "long": ("int", "double"),
        "float": ("double",),
        "double": ("long", "int"),
        "char": ("int",),
        "byte": ("int",),
        "short": ("int",),
        "Integer": ("Long", "int"),
        "boolean": ("int",),
    },
)


_KEYWORDS = """abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new package private protected public return short
static strictfp super switch synchronized this throw throws transient try void volatile while"""

FLOW = FlowNodes(
    keywords=frozenset(_KEYWORDS.split()),
    names=frozenset({"identifier"}),
    literals=frozenset({"string_literal", "character_literal"}),
    declarations={"variable_declarator": Defines(name="name", value="value"), "resource": Defines(name="name", value="value")},
    parameters={
        "formal_parameter": "name",
        "spread_parameter": "",
        "catch_formal_parameter": "name",
        "inferred_parameters": "",
    },
    assignments={"assignment_expression": Defines(name="left", value="right")},
    updates=frozenset({"update_expression"}),
    members={
        "field_access": ("object",),
        "method_invocation": ("object", "arguments"),
        "method_reference": (),
        "class_declaration": ("body",),
        "annotation": (),
        "marker_annotation": (),
    },
    calls={},
    places=frozenset({"field_access", "array_access"}),
    conditions={"if_statement": ("consequence", "alternative"), "ternary_expression": ("consequence", "alternative")},
    switches=frozenset({"switch_expression", "switch_statement"}),
    cases=frozenset({"switch_block_statement_group", "switch_rule"}),
    tries=frozenset({"try_statement", "try_with_resources_statement"}),
    handlers=frozenset({"catch_clause"}),
    loops={
        "for_statement": ("condition", "body", "update"),
        "while_statement": ("condition", "body"),
        "do_statement": ("body", "condition"),
    },
    for_each={"enhanced_for_statement": Defines(name="name", value="value")},
    ends=frozenset({"return_statement", "throw_statement"}),
    functions=frozenset({"method_declaration", "constructor_declaration", "lambda_expression"}),
    blocks=frozenset({"block", "for_statement", "enhanced_for_statement"}),
    parentheses=frozenset({"parenthesized_expression"}),
    codexglue=CodexglueNodes(
        declarations=("variable_declarator",),
        assignments=("assignment_expression",),
        updates=("update_expression",),
        branches=("if_statement", "else"),
        other_branches=("if_statement", "else"),
        for_each={"enhanced_for_statement": Defines(name="name", value="value")},
        counting_loops={"for_statement": "local_variable_declaration"},
        while_loops=("while_statement",),
        needs_else=True,
    ),
)


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
    packages={"": "default-jdk-headless", "junit4": "junit4 libhamcrest-java", "junit5": "junit5"},
    # For unknown or mismatched names, the name comes two or more lines below the source line.
    error_line=r"^(?:[^\s:][^:\n]*\.java:\d+: )?error: .+(?:(?:\n(?!.*error: ).*){0,5}?\n\s+(?:symbol|reason):\s+(?P<more>.+))?",
    fences=("java",),
    comments=("//", "/*"),
    grammar="tree_sitter_java",
    dead_code=("if (false) { int NAME = 0; }",),
    flow="repairlab.languages.java.facts:FLOW",
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
