"""What importers are tested on: a small checkout in the form of Defects4J with a clone, and sources that tests write."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.building.check import check_bug
from repairlab.building.importers.importer import Settings
from repairlab.building.importing import Imported, import_benchmark
from repairlab.core.record import record
from repairlab.validation.machine import Machine
from tests.builders import git, write_files

GREETER = """\
package demo;

/** Gr\u00fc\u00dfe. */
public class Greeter {
    public String greet(String name) {
        return "Gr\u00fcezi " + name;
    }

    public String greet(String name, int times) {
        String all = "";
        for (int i = 0; i < times; i++) {
            all += greet(name);
        }
        return all;
    }
}
"""
GREETER_TEST = """\
package demo;

import static org.junit.Assert.assertEquals;

import java.io.InputStream;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.Ignore;
import org.junit.Test;

public class GreeterTest {
    @Test
    public void greetsByName() {
        assertEquals("Gr\\u00fcezi Anna", new Greeter().greet("Anna"));
    }

    @Test
    public void greetsNever() {
        assertEquals("", new Greeter().greet("Anna", 0));
    }

    @Test
    public void livesInCalifornia() {
        assertEquals("America/Los_Angeles", TimeZone.getDefault().getID());
        assertEquals(Locale.US, Locale.getDefault());
    }

    @Test
    public void findsItsWords() throws Exception {
        try (InputStream words = GreeterTest.class.getResourceAsStream("/words.txt")) {
            assertEquals(0xfc, words.read());
        }
    }

    @Test
    public void failsHereAlways() {
        assertEquals(1, 2);
    }

    @Ignore
    @Test
    public void isIgnored() {
    }
}
"""
COUNTER = """\
package demo;

public class Counter {
    private int count;

    public int next() {
        count++;
        return count;
    }
}
"""
COUNTER_TEST = """\
package demo;

import junit.framework.TestCase;

public class CounterTest extends TestCase {
    public void testBeginsWithOne() {
        assertEquals(1, new Counter().next());
    }

    public void testIsMade() {
        assertNotNull(new Counter());
    }
}
"""


@record
class SmallDefects4J:
    """Where the small checkout and the clones are, and the revision of the fixes by bug number."""

    checkout: Path
    clones: Path
    fixes: dict[int, str]

    @property
    def project(self) -> Path:
        """Return the folder of the one project that has bugs."""
        return self.checkout / "framework/projects/Csv"


@pytest.fixture
def defects4j(tmp_path: Path) -> SmallDefects4J:
    """Return a checkout with the bugs Csv-1 (Latin-1), Csv-2 and Csv-3, whose commit the clone lacks."""
    clone, checkout = tmp_path / "clones/commons-csv", tmp_path / "defects4j"
    small = SmallDefects4J(checkout=checkout, clones=tmp_path / "clones", fixes={})
    sources = {
        "src/main/java/demo/Greeter.java": GREETER.encode("iso-8859-1"),
        "src/main/java/demo/Counter.java": COUNTER.encode(),
        "src/test/java/demo/GreeterTest.java": GREETER_TEST.encode(),
        "src/test/java/demo/CounterTest.java": COUNTER_TEST.encode(),
        "src/test/resources/words.txt": "\u00fcber\n".encode("iso-8859-1"),
        "RELEASE-NOTES.txt": b"SECRET: greet says the name again\n",
        "LICENSE.txt": b"free\n",
    }
    write_files(clone, sources)
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "SECRET: the fix")
    small.fixes.update({1: git(clone, "rev-parse", "HEAD"), 3: "0123456789" * 4})
    write_files(clone, {"src/main/java/demo/New.java": b"package demo;\n\npublic class New {}\n"})
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "SECRET: another fix")
    small.fixes[2] = git(clone, "rev-parse", "HEAD")
    greeter = sources["src/main/java/demo/Greeter.java"].replace(b'ezi " + name', b'ezi "')
    patches = {1: {"Greeter": greeter}, 2: {"Counter": COUNTER.replace("count++;", "// count").encode()}}
    for number, buggy in patches.items():
        write_files(clone, {f"src/main/java/demo/{name}.java": content for name, content in buggy.items()})
        diff = git(clone, "diff", "HEAD", raw=True)
        git(clone, "checkout", "-q", "--", ".")
        write_files(small.project, {f"patches/{number}.src.patch": diff.encode("iso-8859-1")})
    rows = "".join(
        f"{number},{'f' * 40},{fix},CSV-{number},https://example.org/CSV-{number}\n" for number, fix in small.fixes.items()
    )
    tests = {1: ("demo.GreeterTest", "greetsByName"), 2: ("demo.CounterTest", "testBeginsWithOne"), 3: ("demo.X", "y")}
    lists = {f"relevant_tests/{number}": f"{name}\n".encode() for number, (name, _) in tests.items()}
    for number, (name, method) in tests.items():
        lists[f"trigger_tests/{number}"] = f"--- {name}::{method}\norg.junit.ComparisonFailure: no\n\tat {name}\n".encode()
    lists["active-bugs.csv"] = b"bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n" + rows.encode()
    lists["dir-layout.csv"] = f"{small.fixes[1]},src/main/java,src/test/java\n".encode()
    write_files(small.project, lists)
    write_files(checkout, {"README.md": b"Defects4J -- version 3.0.9 of a test\n"})
    return small


class Import:
    """Writes a source to disk and imports it; what came of it stays at hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "source"

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the source."""
        write_files(self.source, files)

    def run(self, name: str, *parts: str, machine: Machine | None = None, **settings: Any) -> Imported:
        """Import the source, or parts of it in their order."""
        sources = [self.source / part for part in parts] if parts else [self.source]
        to = self.folder / "benchmark"
        return import_benchmark(name, sources, to, Settings(**settings), lambda _: None, lambda _: None, machine=machine)

    @property
    def benchmark(self) -> Benchmark:
        """Return what was imported."""
        return open_benchmark(str(self.folder / "benchmark"))

    def problems(self, machine: Machine) -> dict[str, tuple[str, ...]]:
        """Return what a check finds wrong with each bug."""
        sandbox = machine.open_sandbox()
        return {bug.id: check_bug(bug, sandbox).problems for bug in self.benchmark}


@pytest.fixture
def importing(tmp_path: Path) -> Import:
    """Return a source to write and import."""
    return Import(tmp_path)
