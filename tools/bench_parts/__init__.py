"""The parts of the benchmark: its events, its contenders, its clock, its synthetic events and its report."""
