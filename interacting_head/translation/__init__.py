"""From lines of text to lines of text: `translate.py`, its options, its streams and its output forms.

`Translator.translate_windows` is the one way from lines to results: `streams` reads lines, `windows` groups them,
`line_encoder` and `pieces` encode them, `engines` search, `forms` and `files` write. `inspection` looks at attention
and the importance of heads. Start at `translator.py`.
"""
