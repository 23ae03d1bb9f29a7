"""From lines of text to lines of text: `translate.py`, its options, its streams and what it writes.

In come lines, out go `translator.Translation`s in their order, or files of them. `line_batches` and `line_windows` hold
what is needed of a long stream, `forms` and `files` write results, `inspection` looks at attention and the importance
of heads. Start at `translator.py`.
"""
