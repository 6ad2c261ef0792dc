from collections import Counter

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.demo import PER_LANGUAGE, some_of_each_language
from repairlab.languages.facts import names
from repairlab.validation.preflight import missing_tools


def test_the_demo_takes_a_few_bugs_of_each_language() -> None:
    benchmark = open_benchmark("starter")
    chosen = some_of_each_language(benchmark)
    languages = Counter(benchmark.bug(bug_id).problem.language for bug_id in chosen)
    assert languages == {name: PER_LANGUAGE for name in names() if not missing_tools(name)}
    assert {"c", "cpp", "java", "python"} <= set(languages)
    assert len(set(chosen)) == len(chosen)
