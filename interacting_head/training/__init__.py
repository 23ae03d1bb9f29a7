"""Training: from an `ExperimentConfig` to a run directory.

In come a configuration and a corpus, out go checkpoints, scores and a log. `run_text` and `setup` make everything
before the first step, `trainer` runs from validation to validation, `step` computes one update. Start at `trainer.py`.
"""
