"""Which role a connection works as, from the first migration on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from aresweb.database.base import APPLICATION_ROLE, as_owner


def role() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_until_the_application_has_its_rights_the_login_role_works_so_that_it_can_migrate() -> None:
    assert role() == APPLICATION_ROLE
    with as_owner(connection) as cursor:
        cursor.execute(f"REVOKE SELECT ON django_migrations FROM {APPLICATION_ROLE}")
    try:
        connection.close()
        assert role() != APPLICATION_ROLE
    finally:
        with as_owner(connection) as cursor:
            cursor.execute(f"GRANT SELECT ON django_migrations TO {APPLICATION_ROLE}")
        connection.close()
    assert role() == APPLICATION_ROLE


def test_a_first_migration_that_breaks_off_can_be_taken_up_again(tmp_path: Path) -> None:
    own = {"ARES_HOME": str(tmp_path), "DATABASE_URL": "", "DJANGO_SETTINGS_MODULE": "aresweb.settings"}
    environment = {**os.environ, **own}
    for arguments in (["memory", "0001"], ["memory"], []):
        done = subprocess.run(
            [sys.executable, "manage.py", "migrate", *arguments],
            cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
