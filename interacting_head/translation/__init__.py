"""From lines of text to lines of text: `translate.py`, its options, its streams and its output forms.

`Translator.translate_windows` is the one way from lines to results: `streams` reads windows of lines, `line_encoder`
and `pieces` encode them, `batches` says which are searched together, `engines` search, `forms` and `files` write.
`inspection` looks at attention and the importance of heads. Start at `translate.py`, then `translator.py`.
"""
