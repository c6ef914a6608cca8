"""The parts of `demo.py`: the clinic's server, the wire that is watched, and what is printed of it."""
