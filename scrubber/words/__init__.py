"""The vocabulary every other room speaks: verdicts, paths, kinds, properties, frames, messages.

Nothing here reads a clock, a disk, an environment or a log, and nothing here imports another room.
"""
