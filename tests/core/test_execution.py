from repairlab.core.execution import RUNTIME_OVERHEAD_MB, Command, Ending, Execution, Limits


def test_limits_reach_the_arguments_and_runtimes_get_memory_of_their_own() -> None:
    plain = Command(argv=("run", "-m{memory_mb}")).under(Limits(memory_mb=64))
    assert (plain.argv, plain.limits.memory_mb) == (("run", "-m64"), 64)
    runtime = Command(argv=("java", "-Xmx{memory_mb}m"), address_space=False).under(Limits(memory_mb=64))
    assert (runtime.argv[1], runtime.limits.memory_mb) == ("-Xmx64m", 64 + RUNTIME_OVERHEAD_MB)


def test_success_is_an_exit_by_itself_with_code_0() -> None:
    def ended(ending: Ending, exit_code: int | None) -> bool:
        made = Execution(
            ending=ending, exit_code=exit_code, signal=None, stdout=b"", stderr=b"", report=b"", cpu_s=0, wall_s=0, peak_mb=0
        )
        return made.succeeded

    assert ended(Ending.EXITED, 0)
    assert not ended(Ending.EXITED, 1)
    assert not ended(Ending.WALL_LIMIT, 0)
