"""Each representation on code that can be read at a glance: what is read, what is written, what comes of wrong answers."""

from itertools import pairwise
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.learning.representations.coconut import sub_tokens
from repairlab.learning.representations.code import flat, join, same_code, split
from repairlab.learning.representations.code_tree import read_tree
from repairlab.learning.representations.recoder_grammar import Grammar, grammar_of, learn_grammar
from repairlab.learning.representations.representation import Representation, Sample, Unrepresentable
from repairlab.learning.representations.samples import put_back
from repairlab.learning.representations.sequencer import BugInContext, truncated
from repairlab.learning.representations.table import REPRESENTATIONS, representation, settings_of
from repairlab.learning.representations.text import join_operators

FILE = """\
package a.b;
import java.util.List;

public class Stack extends Base {
    private int size = 7; // how many
    static final String NAME = "the stack";

    Stack(int size) {
        this.size = size;
    }

    public int grow(int by, List<String> names) {
        int next = size - by;
        return next;
    }

    void clear() {
        size = 0;
        log("cleared");
    }
}
"""
METHOD = FILE[FILE.index("public int grow") : FILE.index("    void clear")].rstrip()
LINE = "int next = size - by;"
BUG = Sample(
    language="java",
    buggy=LINE,
    method=METHOD,
    file=FILE,
    start=METHOD.index(LINE),
    method_start=FILE.index(METHOD),
    verdict="Wrong Answer",
)
WHOLE = Sample(language="java", buggy=METHOD, method=METHOD, file=FILE, start=0, method_start=FILE.index(METHOD))
FIXED = "int next = size + by;"


def written(made: Representation, sample: Sample, fixed: str) -> tuple[str, ...]:
    return made.target(sample, fixed)[1]


def test_tufano_numbers_names_in_order_of_first_use_and_keeps_idioms() -> None:
    made = representation("tufano", {"idioms": ["size", "by", "VAR_1"]})
    encoded, fix = made.target(WHOLE, put_back(BUG, FIXED))
    assert " ".join(encoded.source) == (
        "public int METHOD_1 ( int by , TYPE_1 < TYPE_2 > VAR_1 ) { int VAR_2 = size - by ; return VAR_2 ; }"
    )
    assert " ".join(fix).endswith("int VAR_2 = size + by ; return VAR_2 ; }")
    assert encoded.memory["map"] == {"METHOD_1": "grow", "TYPE_1": "List", "TYPE_2": "String", "VAR_1": "names", "VAR_2": "next"}


def test_tufano_puts_names_back_by_token_and_drops_unknown_ids() -> None:
    names = "".join(f"a{number}, " for number in range(1, 12))
    sample = Sample(language="java", buggy=f"f({names}1.5f, 'c', \"s\", 3);")
    made = representation("tufano")
    encoded = made.encode(sample)
    assert encoded.source[-8:] == ("FLOAT_1", ",", "CHAR_1", ",", "STRING_1", ",", "INT_1", ")", ";")[-8:]
    assert made.recover(encoded, ("VAR_11", "=", "VAR_1", ";")) == ("a11 = a1;",)
    assert made.recover(encoded, ("VAR_11", "=", "VAR_12", ";")) == () == made.recover(encoded, ())
    with pytest.raises(Unrepresentable, match="names or literals that the buggy method does not have"):
        made.target(sample, "f(other);")
    kept = representation("tufano", {"new_names": True})
    encoded, fix = kept.target(sample, "f(other);")
    assert kept.recover(encoded, fix) == ("f(other);",) and kept.recover(kept.encode(sample), fix) == ()


def test_tufano_learns_the_most_frequent_names() -> None:
    learnt = REPRESENTATIONS["tufano"].learn([(WHOLE, METHOD)])
    assert {"size", "next", "by"} <= set(learnt["idioms"]) and "public" not in learnt["idioms"]


def test_sequencer_reads_fields_signatures_and_the_marked_line() -> None:
    made = representation("sequencer")
    source = " ".join(made.encode(BUG).source)
    assert source.startswith('public class Stack extends Base { private int size = 7 ; static final String NAME = "the stack" ;')
    assert "Stack ( int size ) { } public int grow ( int by , List < String > names ) {" in source
    assert "{ <START_BUG> int next = size - by ; <END_BUG> return next ; } void clear ( ) { } }" in source
    assert written(made, BUG, FIXED) == split("java", FIXED)
    assert written(made, BUG, "") == ("<DELETE>",)
    assert made.recover(made.encode(BUG), ("<DELETE>",)) == ("",)
    assert made.recover(made.encode(BUG), ("return", "<unk>", ";")) == ()


def test_context_is_cut_two_thirds_before_and_one_third_behind() -> None:
    tokens = BugInContext(before=tuple(map(str, range(100))), bug=("x",), after=tuple(map(str, range(100))))
    cut = truncated(tokens, 31)
    assert (len(cut.before), len(cut.after), cut.before[-1], cut.after[0]) == (20, 10, "99", "0")
    assert len(truncated(BugInContext(before=(), bug=("x",), after=tokens.after), 31).after) == 30
    short = truncated(BugInContext(before=tokens.before, bug=("x",), after=("y",)), 31)
    assert (len(short.before), len(short.after)) == (29, 1)
    with pytest.raises(Unrepresentable, match="longer than the limit"):
        truncated(tokens, 0)
    assert len(representation("sequencer", {"max_tokens": 20}).encode(BUG).source) == 20


def test_coconut_splits_names_and_puts_literals_back() -> None:
    assert sub_tokens("getHTTPResponse2Code") == ("get", "CaMeL", "HTTP", "CaMeL", "Response", "DiGiTs", "2", "DiGiTs", "Code")
    assert sub_tokens("__a__b_") == ("__a", "UnDeR", "UnDeR", "b_") and sub_tokens("__") == ("__",)
    made = representation("coconut")
    encoded = made.encode(BUG)
    assert encoded.source == split("java", LINE) and "names" in encoded.context
    fix = written(made, BUG, 'logIt(7, "cleared", 64);')
    assert fix == ("log", "CaMeL", "It", "(", "$NUMBER$", ",", "$STRING$", ",", "64", ")", ";")
    assert made.recover(encoded, fix) == ('logIt(7, "the stack", 64);', 'logIt(7, "cleared", 64);')
    with pytest.raises(Unrepresentable, match="literals that are not among the nearest"):
        made.target(BUG, "next = 4711;")
    for wrong in (("CaMeL", "x"), ("x", "CaMeL"), ("x", "CaMeL", "("), ("$NUMBER$", "UnDeR", "x")):
        assert made.recover(encoded, wrong) == ()


def test_edits_point_at_tokens_of_the_bug() -> None:
    made = representation("edits")
    encoded, fix = made.target(BUG, FIXED)
    assert encoded.source == (*split("java", LINE), "<END>") and fix == ("4", "5", "+")
    assert written(made, BUG, "int next = size - by - 1;") == ("6", "6", "-", "1")
    assert written(made, BUG, LINE + " f();") == ("7", "7", "f", "(", ")", ";")
    for wrong in (("5", "4"), ("0", "8"), ("-1", "2"), ("a", "b"), ("1",), ("0", "0", "<END>")):
        assert made.recover(encoded, wrong) == ()
    around = representation("edits", {"context": True})
    encoded, fix = around.target(BUG, FIXED)
    assert encoded.source[encoded.memory["first"] : encoded.memory["last"]] == split("java", LINE)
    assert around.recover(encoded, fix) == (FIXED,)
    empty = Sample(language="java", buggy="", method=METHOD, start=METHOD.index("return"))
    assert around.recover(around.encode(empty), written(around, empty, "f();")) == ("f();",)
    with pytest.raises(Unrepresentable, match="no buggy line"):
        made.encode(empty)


def test_texts_for_subword_tokenizers() -> None:
    assert representation("line").encode(BUG).source == (LINE,)
    line = representation("line-context").encode(BUG).source
    assert (
        line[0].startswith("buggy: int next = size - by; context: public class Stack extends Base {")
        and "<" + "START_BUG" not in line[0]
    )
    marked = representation("method-marked")
    assert marked.encode(BUG).source == (
        "public int grow(int by, List<String> names) { <BUGS> int next = size - by; <BUGE> return next; }",
    )
    assert written(marked, BUG, FIXED) == (f"<FIXS> {FIXED} <FIXE>",)
    assert marked.recover(marked.encode(BUG), (f"<FIXS>{FIXED}",)) == (FIXED,)
    assert marked.recover(marked.encode(BUG), ("<FIXS> a <FIXE> b <FIXS>",)) == ()
    program = Sample(language="python", buggy="print(1)\n", verdict="Wrong Answer")
    assert representation("program").encode(program).source == ("print(1)\n",)
    assert representation("program-verdict").encode(program).source == ("print(1)\n verdict: Wrong Answer",)
    told = representation("instruction", {"unit": "program", "verdict": True}).encode(program).source[0]
    assert "the fixed program alone" in told and "The judge said: Wrong Answer\n\n```python\nprint(1)" in told
    with pytest.raises(Unrepresentable, match="no verdict"):
        representation("instruction", {"verdict": True}).encode(WHOLE)
    asked = representation("instruction")
    assert "this Java function" in asked.encode(WHOLE).source[0] and "```java\npublic int grow" in asked.encode(WHOLE).source[0]
    assert asked.recover(asked.encode(WHOLE), ("Here:\n```java\nint f() { }\n```\nDone.",)) == ("int f() { }",)
    assert (
        asked.recover(asked.encode(WHOLE), ("int f() { }",)) == ("int f() { }",)
        and asked.recover(asked.encode(WHOLE), (" ",)) == ()
    )


def test_operators_that_tokenizers_of_prose_took_apart_are_joined() -> None:
    assert join_operators("java", 'if (a > = b && c ! = d) x = = y; s = "> =";') == 'if (a >= b && c != d) x == y; s = "> =";'
    assert join_operators("python", "if a < = b:") == "if a <= b:"


def test_layout_counts_where_the_language_counts_it() -> None:
    text = "if x:  # why\n      a = [1,\n  2]\n      b()\nelse:\n      c()"
    assert join("python", split("python", text)) == "if x:\n    a = [1, 2]\n    b()\nelse:\n    c()"
    assert flat("python", text) == "if x:\n    a = [1, 2]\n    b()\nelse:\n    c()"
    assert flat("go", "x := 1 // one\n\ty()") == "x := 1\ny()"
    assert flat("c", "#define F(x) x\n#define G (x)\nint a;") == "#define F(x) x\n#define G (x)\nint a;"
    assert join("c", split("c", "#define F(x) x\n#define G (x)\nint a;")) == "# define F(x) x\n# define G (x)\nint a;"
    assert same_code("java", "List<List<A>> x;", "List < List < A > > x ;") and not same_code("java", "a >> b", "a > b")


def test_recoder_edits_the_smallest_part_and_copies() -> None:
    made = representation("recoder")
    encoded, fix = made.target(WHOLE, put_back(BUG, FIXED))
    places = {label: at for at, label in enumerate(encoded.source)}
    change = places["binary_expression -"]
    assert fix[:3] == ("modify", f"@{change}", "binary_expression -> .left '+' .right")
    assert [encoded.source[int(token[1:])] for token in fix[4:7:2]] == ["size", "by"] and fix[-1] == "end"
    nodes = encoded.memory["nodes"]
    assert nodes[0].parent == -1 and len(nodes) == len(encoded.source)
    (text,) = made.recover(encoded, fix)
    assert text == put_back(BUG, FIXED), "the rest of the method keeps its layout"
    guarded = put_back(BUG, f"if (by > size) {{\n            throw by;\n        }}\n        {LINE}")
    assert written(made, WHOLE, guarded)[:2] == ("insert", f"@{places['local_variable_declaration']}")
    assert written(made, WHOLE, put_back(BUG, "")) == ("delete", f"@{places['local_variable_declaration']}", "end")
    for wrong in (
        ("modify", "@3"),
        ("modify", "@9999", "identifier=x", "end"),
        ("delete", "@0", "end"),
        ("end", "end"),
        ("copy",),
        (),
    ):
        assert made.recover(encoded, wrong) == ()


def test_one_subtree_is_written_anew_with_copied_leaves() -> None:
    made = representation("recoder", {"subtree": True})
    fixed = METHOD.replace(LINE, f"if (by > size) {{ {LINE} }}").replace("clear()", "clear(by)")
    encoded, fix = made.target(WHOLE, fixed)
    assert [token for token in fix if token in ("modify", "insert", "append", "delete")] == ["modify"]
    copied = [int(after[1:]) for token, after in pairwise(fix) if token == "copy"]
    assert copied and all(not encoded.memory["nodes"][at].end - at > 1 for at in copied), "only leaves are copied"
    assert any(same_code("java", text, fixed) for text in made.recover(encoded, fix))
    encoded, fix = made.target(WHOLE, put_back(BUG, FIXED))
    places = {label: at for at, label in enumerate(encoded.source)}
    assert fix[:2] == ("modify", f"@{places['binary_expression -']}"), "the smallest subtree that differs"


def test_recoder_reads_the_part_around_the_bug_of_a_long_method() -> None:
    long = "void f() {\n" + "".join(f"    if (a{i}) {{ b{i}(c{i}, {i}); }}\n" for i in range(90)) + "}"
    place = long.index("b50(c50, 50)")
    sample = Sample(language="java", buggy=long, method=long, start=0, marked=(place, place + 3))
    made = representation("recoder")
    encoded, fix = made.target(sample, long.replace("b50(c50", "b50(d"))
    assert len(encoded.source) <= 500 and "a49" not in encoded.source
    assert made.recover(encoded, fix) == (long.replace("b50(c50", "b50(d"),)
    with pytest.raises(Unrepresentable, match="outside of what is read"):
        made.target(sample, long.replace("c10", "d"))
    with pytest.raises(Unrepresentable, match="more than 500 nodes"):
        made.encode(Sample(language="java", buggy=long))


def test_a_grammar_is_learnt_and_saved(tmp_path: Path) -> None:
    fixed = put_back(BUG, "int next = clear(by);")
    settings = REPRESENTATIONS["recoder"].learn([(WHOLE, fixed)])
    grammar = grammar_of(settings["grammar"])
    grammar.save(tmp_path / "grammar.json")
    assert Grammar.load(tmp_path / "grammar.json") == grammar
    assert grammar == learn_grammar([read_tree("java", METHOD), read_tree("java", fixed)])
    made = representation("recoder", settings)
    encoded, fix = made.target(WHOLE, fixed)
    assert "identifier=<unknown>" in fix, "seen once only, so it is no terminal"
    assert any(same_code("java", text, fixed) for text in made.recover(encoded, fix))
    assert "identifier" in grammar.slots["binary_expression.right"] and not grammar.lists
    calls = [read_tree("java", f"void f() {{ {text} }}") for text in ("g(a);", "g(a, b); h();", "g(a, b, c);")]
    assert learn_grammar(calls).lists == {"argument_list*'('": ("','",), "argument_list*','": ("','",), "block*'{'": ()}
    with pytest.raises(Unrepresentable, match="a rule that the grammar does not have"):
        made.target(WHOLE, put_back(BUG, "while (by) { }"))
    (tmp_path / "grammar.json").write_text("[1]")
    with pytest.raises(UserError, match="holds no grammar"):
        Grammar.load(tmp_path / "grammar.json")
    with pytest.raises(UserError, match=r"none\.json is missing"):
        Grammar.load(tmp_path / "none.json")


def test_settings_are_checked() -> None:
    assert settings_of(["max_tokens=9", "x=a b"]) == {"max_tokens": 9, "x": "a b"}
    with pytest.raises(UserError, match="write NAME=VALUE"):
        settings_of(["max_tokens"])
    with pytest.raises(UserError, match="Did you mean 'max_tokens'"):
        representation("sequencer", {"max_token": 9})
    with pytest.raises(UserError, match="must be a whole number"):
        representation("sequencer", {"max_tokens": "many"})
    with pytest.raises(UserError, match="has no settings"):
        representation("line", {"x": 1})
    with pytest.raises(UserError, match="unknown representation 'sequenser'"):
        representation("sequenser")
