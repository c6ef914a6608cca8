"""The audit door: what the policy does with recorded events, by the hook's own engine.

Reading (`reading`) makes rows of files, judging (`judging`) makes a mergeable tally of rows, and rendering
(`rendering`) makes text of the report that a tally gives. None knows the next.
"""
