"""What a program is told of a bug: the text of its ISSUE.md, and variables of its environment."""

from repairlab.core.problem import Problem


def issue_text(problem: Problem, tests: tuple[str, ...] = ()) -> str:
    """Return the bug as the policy lets it be seen: title, description, place, error and, where tests are shown, their names."""
    parts = [f"# {problem.title}" if problem.title else "# A bug", problem.description, _place(problem)]
    if problem.submission_verdict is not None:
        parts.append(f"A judge said of this program: {problem.submission_verdict.value}.")
    if problem.error is not None:
        parts.append(f"The first message of a failing test:\n\n{_indented(problem.error)}")
    if tests:
        parts.append("Tests that fail:\n\n" + "\n".join(f"- {name}" for name in tests))
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def variables(problem: Problem) -> dict[str, str]:
    """Return the same for programs: language, file and, where they are shown, function and lines."""
    found = {"REPAIRLAB_LANGUAGE": problem.language, "REPAIRLAB_FILE": problem.path}
    if problem.target.name is not None:
        found["REPAIRLAB_FUNCTION"] = problem.target.name
    if problem.location:
        found["REPAIRLAB_LINES"] = " ".join(f"{lines.path}:{lines.first}-{lines.last}" for lines in problem.location)
    return found


def _place(problem: Problem) -> str:
    function = f", in `{problem.target.name}`" if problem.target.name is not None else ""
    said = f"The bug is in the file `{problem.path}`{function}."
    if problem.location:
        spans = ", ".join(
            f"{lines.path} {f'line {lines.first}' if lines.first == lines.last else f'lines {lines.first} to {lines.last}'}"
            if lines.last >= lines.first
            else f"{lines.path} before line {lines.first}"
            for lines in problem.location
        )
        said += f" What is to be changed: {spans}."
    return said


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip("\n").split("\n"))
