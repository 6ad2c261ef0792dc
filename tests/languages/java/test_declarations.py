"""What other files can need of a Java file is the same as long as only bodies and values made at run time differ."""

import subprocess
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.languages.java import resident
from repairlab.languages.language import language

RUNNERS = Path(resident.__file__).parent / "runners"
MAIN = """
package repairlab.resident;

import java.net.URI;
import java.util.List;
import javax.tools.*;

public class Same {
    public static void main(String[] texts) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String first = null;
        for (String text : texts) {
            JavaFileObject source = new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignore) {
                    return "class A { " + text + " }";
                }
            };
            String found = Declarations.of(compiler, compiler.getStandardFileManager(null, null, null), List.of(), source);
            first = first == null ? found : first;
            System.out.println(found.equals(first));
        }
    }
}
"""


@pytest.mark.slow
def test_values_of_fields_count_as_far_as_others_may_hold_copies_of_them(tmp_path: Path) -> None:
    try:
        language("java").toolchain.versions()
    except HarnessError as error:
        pytest.skip(str(error))
    (tmp_path / "Same.java").write_text(MAIN)
    javac = ["javac", "-d", str(tmp_path), str(tmp_path / "Same.java"), str(RUNNERS / "Declarations.java")]
    subprocess.run(javac, check=True, capture_output=True)

    def same(*texts: str) -> list[bool]:
        run = ["java", "-cp", str(tmp_path), "repairlab.resident.Same", *texts]
        said = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
        return [word == "true" for word in said[1:]]

    anonymous = "static final Object X = new Object() { int f() { return %s; } };"
    assert same(anonymous % 1, anonymous % 2, anonymous % "f", "static final Object X = f(1);") == [True, True, False]
    constant = "static final int X = %s;"
    assert same(constant % 1, constant % 2, constant % "f()", constant % "1 ") == [False, False, True]
    assert same("int f() { return 1; }", "int f() { return 2; }", "long f() { return 1; }") == [True, False]
