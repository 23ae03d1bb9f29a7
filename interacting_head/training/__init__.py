"""Training: from an `ExperimentConfig` to a run directory.

`run_text` and `setup` make everything before the first step, `trainer` runs from validation to validation,
`training_model` computes one update. Start at `trainer.py`.
"""
