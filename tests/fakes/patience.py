"""How long a test waits for what must come."""

PATIENCE_S = 120.0
"""Seconds after which what a process or a run was to do is taken for undone. A test that passes
waits for none of them: what takes one on an idle machine takes twenty beside ten other jobs, and
every test is cancelled after 180 (tests/conftest.py)."""
