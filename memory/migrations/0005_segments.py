"""Older events move into compressed segments; a tenant may say how long they are kept."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """The two tables, their privileged functions, and the tenant's retention."""

    dependencies: ClassVar = [("memory", "0004_agents")]
    operations: ClassVar = [
        migrations.AddField("tenant", "retention_days", models.PositiveIntegerField(null=True)),
        migrations.CreateModel(
            name="Segment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_version", models.BigIntegerField()),
                ("last_version", models.BigIntegerField()),
                ("previous_hash", models.BinaryField(max_length=32)),
                ("hashes", models.BinaryField()),
                ("content", models.BinaryField(null=True)),
                ("raw_bytes", models.BigIntegerField()),
                ("stored_bytes", models.BigIntegerField()),
                ("type_counts", models.JSONField()),
                ("letters", models.TextField()),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("first_transaction_id", models.BigIntegerField()),
                ("first_position", models.BigIntegerField()),
                ("last_transaction_id", models.BigIntegerField()),
                ("last_position", models.BigIntegerField()),
                ("created_at", models.DateTimeField()),
                ("dropped_at", models.DateTimeField(null=True)),
                (
                    "stream",
                    models.ForeignKey(
                        to="memory.stream",
                        on_delete=django.db.models.deletion.CASCADE,
                        db_constraint=False,
                        db_index=False,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(to="memory.tenant", on_delete=django.db.models.deletion.CASCADE, db_index=False),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["tenant", "last_transaction_id", "last_position"], name="segment_cursor"),
                    models.Index(
                        fields=["tenant", "last_at"], condition=models.Q(("dropped_at", None)), name="segment_due"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "stream", "first_version"), name="segment_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchivedId",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id",
                        "id_hash",
                        "segment_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("id_hash", models.BigIntegerField()),
                (
                    "tenant",
                    models.ForeignKey(
                        to="memory.tenant",
                        on_delete=django.db.models.deletion.CASCADE,
                        db_constraint=False,
                        db_index=False,
                    ),
                ),
                (
                    "segment",
                    models.ForeignKey(
                        to="memory.segment",
                        on_delete=django.db.models.deletion.CASCADE,
                        db_constraint=False,
                        db_index=False,
                    ),
                ),
            ],
        ),
        migrations.RunSQL(sql.read("segments")),
    ]
