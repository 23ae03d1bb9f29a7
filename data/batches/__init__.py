"""Encoded text and its batches.

In come a parallel text and sub-word models, out go memory-mapped arrays of ids (`encoding`), the plan of an epoch
(`plan`) and the batches themselves (`pipeline`). Start at `pipeline.py`.
"""
