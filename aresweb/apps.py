"""Wiring around migrations: who runs them, what the application may do afterwards, and which jobs are scheduled."""

from typing import Any

from django.apps import AppConfig, apps
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.models.signals import post_migrate, pre_migrate


class ProjectConfig(AppConfig):
    """The project itself."""

    name = "aresweb"

    def ready(self) -> None:
        memory = apps.get_app_config("memory")
        pre_migrate.connect(_as_owner, sender=memory)
        post_migrate.connect(_as_application, sender=memory)


def _as_owner(using: str, **kwargs: Any) -> None:
    """Migrations need the login role, which owns the tables."""
    with connections[using].cursor() as cursor:
        cursor.execute("RESET ROLE")


def _as_application(using: str, **kwargs: Any) -> None:
    """Renew the application's rights, work as its role again, and bring the schedules up to date.

    Not before everything is migrated: rights and schedules need tables of the last migrations.
    """
    from aresweb.database.base import as_owner
    from memory import schedules, sql

    executor = MigrationExecutor(connections[using])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return
    with as_owner(connections[using]) as cursor:  # type: ignore[arg-type]
        cursor.execute(sql.read("grants"))
    schedules.install()
