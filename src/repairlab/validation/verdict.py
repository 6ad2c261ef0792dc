"""From what a sandbox saw to a verdict."""

import signal
from collections.abc import Callable

from repairlab.core.execution import Ending, Execution
from repairlab.core.oracle import Case
from repairlab.core.outcome import TestResult, TestVerdict
from repairlab.languages.language import Toolchain
from repairlab.validation.checkers import CheckerResult

_OF_ENDING = {
    Ending.CPU_LIMIT: TestVerdict.TIMEOUT,
    Ending.WALL_LIMIT: TestVerdict.TIMEOUT,
    Ending.MEMORY_LIMIT: TestVerdict.OUT_OF_MEMORY,
    Ending.OUTPUT_LIMIT: TestVerdict.OUTPUT_LIMIT,
    Ending.DISK_LIMIT: TestVerdict.CRASH,
}


def of_process(execution: Execution, toolchain: Toolchain) -> TestVerdict | None:
    """Return the verdict that a process's end alone settles; none when it ended well by itself."""
    if execution.ending in _OF_ENDING:
        return _OF_ENDING[execution.ending]
    if execution.succeeded:
        return None
    return TestVerdict.OUT_OF_MEMORY if toolchain.out_of_memory(execution) else TestVerdict.CRASH


def describe_end(execution: Execution) -> str:
    """Say in words how a process ended."""
    match execution.ending:
        case Ending.EXITED:
            return f"exit code {execution.exit_code}"
        case Ending.SIGNALLED:
            number = execution.signal or 0
            known = {int(item): item.name for item in signal.Signals}
            return f"killed by {known.get(number, f'signal {number}')}"
        case _:
            return f"{execution.ending} reached"  # without times: messages of two runs should be equal, and results have the times


def of_case(case: Case, execution: Execution, toolchain: Toolchain, check: Callable[[Case, bytes], CheckerResult]) -> TestResult:
    """Judge one run of a stdin/stdout program; `check` looks at its output when it ended well."""
    verdict = of_process(execution, toolchain)
    message = describe_end(execution)
    if verdict is None:
        finding = check(case, execution.stdout)
        verdict, message = finding.verdict, finding.message
    return TestResult(
        id=case.id,
        verdict=verdict,
        cpu_s=round(execution.cpu_s, 3),
        wall_s=round(execution.wall_s, 3),
        peak_mb=round(execution.peak_mb, 1),
        message="" if verdict is TestVerdict.PASSED else message,
    )
