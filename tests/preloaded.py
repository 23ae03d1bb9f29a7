"""The imports of the server of `warm_processes` before it forks."""

from interacting_head.console import importing_keras

with importing_keras():
    import interacting_head.metrics.command_line
    import interacting_head.serve.service
    import interacting_head.training.trainer
    import interacting_head.translation.files  # noqa: F401
