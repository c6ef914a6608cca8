"""The parts of the fuzz run: the events it starts from, the child that atheris drives, and the figures."""
