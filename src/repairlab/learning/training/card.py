"""The card of a model: what it is, what it was trained on, how good it is. Written beside its weights."""

from typing import TYPE_CHECKING

from repairlab.core.version import VERSION
from repairlab.learning.training.settings import SystemSettings

if TYPE_CHECKING:
    from repairlab.learning.training.train import TrainedModel, TrainingStart


def model_card(made: "TrainedModel", settings: SystemSettings, begun: "TrainingStart") -> str:
    """Return the card as Markdown."""
    model, metrics = settings.model, made.metrics
    dropped = "\n".join(f"- {count} left out: {reason}" for reason, count in sorted(made.dropped.items()))
    sizes = ", ".join(f"{split} {n}" for split, n in made.sizes.items())
    return f"""# {model.system}

A model for program repair, trained by repairlab {VERSION}.

| | |
| --- | --- |
| system | {model.system} |
| representation | {model.representation} |
| network | {model.network.kind}, {made.n_parameters:,} parameters |
| pairs | {begun.pairs} (digest {begun.data}): {sizes} |
| training | {made.steps} steps, {made.epochs} epochs, seed {begun.seed} |
| validation | perplexity {metrics["perplexity"]:.3f}, exact match at beam 1 {100 * metrics["exact_match"]:.1f} % |

{dropped}

Use it:

```
repairlab run BENCHMARK --repairer neural --model FOLDER -n {min(model.decoding.beam, 100)}
repairlab predict FOLDER --pairs SET --split test --beam 10 --to predictions.jsonl
```

All settings are in `system.toml`, from which `repairlab train system.toml` makes the same model again.
"""
