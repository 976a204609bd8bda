"""The token ledger, filled for events that are recorded already by `manage.py rebuild_ledger`."""

from typing import ClassVar

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """One table; the last operation puts it under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0007_retrieval")]
    operations: ClassVar = [
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("method", models.CharField(blank=True, max_length=20)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("occurred_at", models.DateTimeField()),
                ("raw_tokens", models.BigIntegerField(default=0)),
                ("sent_tokens", models.BigIntegerField(default=0)),
                ("saved_tokens", models.BigIntegerField(default=0)),
                ("input_tokens", models.BigIntegerField(default=0)),
                ("cached_tokens", models.BigIntegerField(default=0)),
                ("output_tokens", models.BigIntegerField(default=0)),
                ("reasoning_tokens", models.BigIntegerField(default=0)),
                ("is_reported", models.BooleanField(default=False)),
                ("counted_tokens", models.BigIntegerField(null=True)),
                ("cost", models.DecimalField(decimal_places=12, max_digits=24, null=True)),
                ("saved_cost", models.DecimalField(decimal_places=12, max_digits=24, null=True)),
                ("request_key", models.CharField(blank=True, max_length=200)),
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
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["tenant", "kind", "occurred_at"], name="ledger_entry_in_time"),
                    models.Index(
                        condition=models.Q(("request_key", ""), _negated=True),
                        fields=["tenant", "stream", "request_key"],
                        name="ledger_entry_of_request",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "stream", "version"), name="ledger_entry_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "saved_tokens",
                                django.db.models.expressions.CombinedExpression(
                                    models.F("raw_tokens"), "-", models.F("sent_tokens")
                                ),
                            )
                        ),
                        name="ledger_entry_adds_up",
                    ),
                ],
            },
        ),
        migrations.RunSQL(sql.read("ledger")),
    ]
