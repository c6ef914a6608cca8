"""The parts of tools/matrix.py and of noxfile.py."""
