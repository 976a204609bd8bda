"""Health: `/healthz` says that the process answers, `/readyz` that it can work. No key, no tenant."""

from http import HTTPStatus

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers, is migrated, and holds the application to row-level security."""
    checks = {"database": False, "row_level_security": False, "migrations": False}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
            checks["database"], checks["row_level_security"] = True, not cursor.fetchone()[0]
        executor = MigrationExecutor(connection)
        checks["migrations"] = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (DatabaseError, InterfaceError):
        checks["database"] = False
    ready = all(checks.values())
    status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
    return JsonResponse({"status": "ready" if ready else "not ready", "checks": checks}, status=status)
