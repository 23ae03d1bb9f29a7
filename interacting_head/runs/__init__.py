"""Run directories: which files are a run's, how they are read and written, and what former versions wrote."""
