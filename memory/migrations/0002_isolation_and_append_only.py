"""What PostgreSQL itself guards: the application's role, row-level security, the order and permanence of events."""

from typing import ClassVar

from django.db import migrations

from memory import sql


class Migration(migrations.Migration):
    """Installs `application_role.sql`, `tenancy.sql` and `events.sql`; the rights follow after every migration."""

    dependencies: ClassVar = [("memory", "0001_tables")]
    operations: ClassVar = [
        migrations.RunSQL(sql.read("application_role")),
        migrations.RunSQL(sql.read("tenancy")),
        migrations.RunSQL(sql.read("events")),
    ]
