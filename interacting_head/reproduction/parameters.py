"""Numbers of parameters of the cells of a table, counted without giving them values."""

from tqdm import tqdm

from interacting_head.console import importing_keras


def count(table, results, name):
    """Count the parameters of the cells of a table, and store them as the results called `name`.

    Args:
        table: a `Table` whose experiments say how large their vocabularies are.
        results: the `Results`.
        name: of the results.
    """
    with importing_keras():
        from interacting_head.model.transformer import parameter_count

    found = {}
    for cell in tqdm(table.cells, unit="model", disable=None):
        config = cell.experiment.config(seed=1)
        sizes = config.data.vocabulary_size
        sizes = [sizes, sizes] if isinstance(sizes, int) else sizes
        number = parameter_count(config.model, *sizes, config.data.shared_vocabulary)
        found.setdefault(cell.row, {})[cell.column] = number
    results.write_counts(name, {"parameters": found})
