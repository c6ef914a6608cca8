"""A stand-in for PostHog's ingestion on loopback, which shows what an app sends and what the policy would do with it.

`unpacking` and `bodies` turn a request into events and know no server; `answers` says what PostHog would answer; `app`
puts both behind HTTP; `serving` runs it on loopback; `session` judges and counts what came; `saving` writes it down.
"""
