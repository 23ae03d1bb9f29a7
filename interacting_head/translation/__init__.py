"""From lines of text to lines of text: `interacting-head translate`, its options, streams and output formats.

All translation goes through `Translator.translate_windows`: `streams` reads windows of lines, `line_encoder` and
`pieces` encode them, `batches` groups them, `engines` search, `output_formats` and `files` write. `inspection` extracts
attention and head importance. Start at `interacting-head translate`, then `translator.py`.
"""
