"""From lines of text to lines of text: `translate.py`, its options, its streams and what it writes.

In come lines, out go `translator.Translation`s in their order, or files of them. `engines` do the search,
`line_windows` and `windows` cut a long stream, `forms` and `files` write results, `inspection` looks at attention and
the importance of heads. Start at `translator.py`.
"""
