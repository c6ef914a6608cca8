"""The rules: small and pure. Each says pass, redact or drop about one event or one property of it.

A rule may import the words and other rules' helpers; it reads no clock, disk, environment or log.
"""
