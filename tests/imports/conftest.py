"""Where the public sample data lies. Tests that need it are skipped, saying so, where it does not."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def sample_data() -> Callable[[str], Path]:
    """Gives the path of a folder of the sample data by its name."""
    root = Path(os.environ.get("ARES_SAMPLE_DATA") or REPOSITORY.parent / "shared" / "data")

    def folder(name: str) -> Path:
        path = root / name
        if not path.is_dir():
            pytest.skip(f"no sample data at {path} (set ARES_SAMPLE_DATA)")
        return path

    return folder
