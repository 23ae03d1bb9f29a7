"""Run directories: their files, reading and writing them, and migrations of earlier versions."""
