# %% [markdown]
# # repairlab from a notebook
# Which of a model's answers fix the bug? And how does a repairer of one's own do against the built-in templates?

# %%
import repairlab as rl

bench = rl.load("starter")
bug = bench["python-version-order"]
bug.problem.title

# %%
# What a model might say: prose and a fence, a function, a diff, nothing of use.
function = bug.problem.target.text
fixed = function.replace("tuple(parts)", "tuple(int(part) for part in parts)")
answers = [
    f"The parts are compared as text. Here is the fix:\n```python\n{fixed}\n```",
    fixed,
    function.replace("tuple(parts)", "tuple(parts"),
    function.replace("tuple(parts)", "tuple(sorted(parts))"),
    "I am sorry, but I do not see a bug.",
]
with rl.Validator(bug) as validator:
    outcomes = validator.map(answers)
[(outcome.verdict.value, outcome.message[:60]) for outcome in outcomes]

# %%
assert [outcome.verdict.code for outcome in outcomes] == ["AC", "AC", "CE", "WA", "–"]


# %%
# A repairer of one's own: a function from a problem to patches, best first.
def to_numbers(problem):
    """Compare as numbers what is compared as text."""
    for line in problem.target.text.split("\n"):
        if "parts" in line:
            yield problem.target.text.replace(line, line.replace("parts)", "map(int, parts))"))


part = bench.filter("python-version-order")
mine = rl.run(part, to_numbers, to="runs/to-numbers", n=3, k=(1, 3))
mine

# %%
templates = rl.run(part, rl.repairer("templates", n=3), to="runs/templates", k=(1, 3))
rl.compare(mine, templates, k=3)

# %%
scores = rl.score(mine, k=(1, 3))
assert scores["fixed"].value == 1.0
scores
