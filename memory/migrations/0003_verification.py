"""What verifications of streams found, with row-level security from `verification.sql`."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """Two tables; the last operation puts them under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0002_isolation_and_append_only")]
    operations: ClassVar = [
        migrations.CreateModel(
            name="Finding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                ("fault", models.CharField(max_length=40)),
                ("detail", models.CharField(max_length=200)),
                ("found_at", models.DateTimeField()),
                (
                    "stream",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="memory.stream",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="memory.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["tenant", "stream", "version"], name="finding_of_stream")],
            },
        ),
        migrations.CreateModel(
            name="Verification",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("verified_at", models.DateTimeField()),
                ("version", models.BigIntegerField()),
                ("faults", models.BigIntegerField()),
                ("clean_version", models.BigIntegerField(default=0)),
                ("clean_hash", models.BinaryField(default=b"", max_length=32)),
                (
                    "stream",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="memory.stream",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="memory.tenant",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("tenant", "stream"), name="verification_once")],
            },
        ),
        migrations.RunSQL(sql.read("verification")),
    ]
