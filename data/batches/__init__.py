"""Encoded text, the plan of an epoch, and its batches; start at `pipeline.py`."""
