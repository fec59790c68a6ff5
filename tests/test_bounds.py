"""What never ends costs its own test, and no other one."""

import subprocess
import sys
from pathlib import Path

CONFTEST = """
from tests.fakes.bounds import Bounds

def pytest_configure(config):
    config.pluginmanager.register(Bounds(patient_s=1, lasts_s=2))
"""

TESTS = """
import asyncio, threading
import pytest, pytest_asyncio

@pytest.fixture(scope="session")
def endless():
    threading.Event().wait()

@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def waiting():
    await asyncio.Event().wait()

@pytest.fixture
def unending():
    yield
    threading.Event().wait()

def test_fixture(endless): pass
async def test_async_fixture(waiting): pass
def test_end(unending): pass
def test_itself(): threading.Event().wait()
async def test_patience(): await asyncio.Event().wait()
async def test_another(): await asyncio.sleep(0)
"""


def test_what_never_ends_fails_alone_and_by_name(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    options = (
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "-o",
        "asyncio_mode=auto",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-c", "pyproject.toml", tmp_path],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "2 failed, 2 passed, 3 errors" in done.stdout, done.stdout + done.stderr
    for said in (
        "The fixture endless took",
        "The fixture waiting took",
        "The end of a fixture took",
    ):
        assert said in done.stdout
    assert "It took longer than 2 s." in done.stdout
    assert "TimeoutError" in done.stdout
