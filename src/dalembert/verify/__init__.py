"""A model checked against itself by every independent road there is, with a verdict that says what was not checked."""

from dalembert.verify.verdict import Check, Verdict
from dalembert.verify.verify import verify

__all__ = ["Check", "Verdict", "verify"]
