"""What fixes of Java programs are often made of; its facts hold it."""

from repairlab.languages.fix_ingredients import Idioms

IDIOMS = Idioms(
    stop="Runtime.getRuntime().halt(97);",
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
