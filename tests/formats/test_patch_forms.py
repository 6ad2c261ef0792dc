"""Patches of any form become candidates; here without running them."""

import repairlab as rl
from repairlab.core.diff import apply_edits, edits_of_patch
from repairlab.formats.patch_forms import candidate_of, recognise
from repairlab.study.diffs import diff_text


def test_every_form_is_recognised_for_all_bugs_of_the_built_in_benchmark() -> None:
    for bug in rl.load("starter"):
        problem = bug.problem
        files = {problem.path: problem.source, **{file.path: file.text for file in problem.context}}
        fixed = apply_edits(bug.oracle.reference, files)
        code = problem.target.text
        diff = diff_text(files, fixed)
        forms = {
            "file": fixed.get(problem.path) or problem.source,
            "diff": diff,
            "answer": f"Sure:\n```\n{code}\n```\nThat is all.",
            "function" if problem.target.name else "file": code,
        }
        for form, text in forms.items():
            assert recognise(text, problem) == form, (bug.id, form)
        assert apply_edits(candidate_of(diff, bug).edits, files) == apply_edits(edits_of_patch(diff, files), files)
        unchanged = candidate_of(code, bug)
        assert apply_edits(unchanged.edits, files) == {problem.path: problem.source}, bug.id
        assert candidate_of(forms["answer"], bug).problem is None, bug.id


def test_a_file_with_a_fence_in_its_text_is_a_file() -> None:
    problem = rl.load("starter")["python-version-order"].problem
    assert recognise(problem.source + '\nEXAMPLE = """\n```\n1.0\n```\n"""\n', problem) == "file"
    assert recognise(f"The file:\n```python\n{problem.source}\n```\n", problem) == "answer"
