"""What is in the tables, seen from outside of the domain: for tests that say that nothing was written, or nothing is left."""

from django.db import connection

from memory.models import Tenant
from memory.tenancy import tenant_scope


def names() -> list[str]:
    """Every table of the database."""
    return sorted(connection.introspection.table_names())


def isolated() -> list[str]:
    """Every table whose rows belong to a tenant."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.columns "
            "WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name"
        )
        return [name for (name,) in cursor.fetchall()]


def row_counts() -> dict[tuple[str, str], int]:
    """How many rows each table holds, by tenant and table."""
    return _each_table("SELECT '{name}', count(*) FROM {table}")


def holding(text: str) -> list[str]:
    """The tables with a row that holds this text in any of its columns, in any tenant."""
    found = _each_table("SELECT '{name}', count(*) FROM {table} WHERE strpos({table}::text, %(text)s) > 0", text=text)
    return sorted({name for (_, name), count in found.items() if count})


def _each_table(select: str, **values: str) -> dict[tuple[str, str], int]:
    quote = connection.ops.quote_name
    query = " UNION ALL ".join(select.format(name=name, table=quote(name)) for name in names())
    counts = {}
    for tenant in Tenant.objects.order_by("slug"):
        with tenant_scope(tenant.pk), connection.cursor() as cursor:
            cursor.execute(query, values)
            counts |= {(tenant.slug, name): count for name, count in cursor.fetchall()}
    return counts
