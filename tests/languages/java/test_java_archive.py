"""Archives of classes: made once, taken by the JVM, and done without where they cannot be made."""

import shutil
import subprocess
import zipfile
from pathlib import Path

from repairlab.languages.java.jars import Rehearsal, archive, jar

HELLO = 'public class Hello { public static void main(String[] a) { System.out.println("hello"); } }\n'


def made(folder: Path) -> Rehearsal:
    source = folder / "Hello.java"
    source.write_text(HELLO)
    javac, java = shutil.which("javac"), shutil.which("java")
    assert javac is not None
    assert java is not None
    subprocess.run([javac, "-d", str(folder / "classes"), str(source)], check=True)
    jar(folder / "classes", folder / "hello.jar")
    return Rehearsal(java=java, flags=(), class_path=(folder / "hello.jar",), arguments=("Hello",))


def test_a_jar_is_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "classes/a").mkdir(parents=True)
    (tmp_path / "classes/a/A.class").write_bytes(b"code")
    for name in ("one.jar", "two.jar"):
        jar(tmp_path / "classes", tmp_path / name)
    assert (tmp_path / "one.jar").read_bytes() == (tmp_path / "two.jar").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.jar") as packed:
        assert packed.namelist() == ["a/A.class"]


def test_a_jvm_takes_classes_from_the_archive(tmp_path: Path) -> None:
    rehearsal = made(tmp_path)
    found = archive(rehearsal, str(tmp_path / "cache"))
    assert found is not None
    flags = [f"-XX:SharedArchiveFile={found}", "-Xlog:class+load", "-cp", str(rehearsal.class_path[0])]
    said = subprocess.run([rehearsal.java, *flags, "Hello"], capture_output=True, text=True, check=True).stdout
    (loaded,) = [line for line in said.splitlines() if " Hello source:" in line]
    assert "shared objects file" in loaded


def test_without_an_archive_nothing_is_said(tmp_path: Path) -> None:
    rehearsal = Rehearsal(java=made(tmp_path).java, flags=("-XX:NoSuchFlag",), class_path=(), arguments=("Hello",))
    assert archive(rehearsal, str(tmp_path / "cache")) is None
