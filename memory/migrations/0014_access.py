"""What keys may do, what tenants may take, and the log of who did what."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import memory.models.api_key
from memory import sql


def _tenant() -> models.ForeignKey:
    return models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant")


def _row_id() -> models.BigAutoField:
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    """Keys that are there keep opening everything. The last operations put the new tables under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0013_setting_of_names")]
    operations: ClassVar = [
        migrations.AddField("tenant", "suspended_at", models.DateTimeField(null=True)),
        migrations.AddField("tenant", "stored_bytes", models.BigIntegerField(default=0)),
        migrations.AddField("tenant", "measured_at", models.DateTimeField(null=True)),
        migrations.AddField("tenant", "audit_number", models.BigIntegerField(default=0)),
        migrations.AddField("tenant", "audit_hash", models.BinaryField(max_length=32, null=True)),
        migrations.AddField(
            "apikey",
            "scopes",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=20), default=memory.models.api_key.every_scope, size=None
            ),
        ),
        migrations.AddField("apikey", "agent_id", models.CharField(blank=True, default="", max_length=200), False),
        migrations.AddField("apikey", "user_id", models.CharField(blank=True, default="", max_length=200), False),
        migrations.AddField("apikey", "requests_a_minute", models.PositiveIntegerField(null=True)),
        migrations.AddField("apikey", "events_a_minute", models.PositiveIntegerField(null=True)),
        migrations.AddField("apikey", "last_used_from", models.CharField(blank=True, default="", max_length=64), False),
        migrations.AddField("apikey", "replaces", models.CharField(blank=True, default="", max_length=12), False),
        migrations.CreateModel(
            name="Allowance",
            fields=[
                ("id", _row_id()),
                ("key_id", models.BigIntegerField(default=0)),
                ("measure", models.CharField(max_length=20)),
                ("minute", models.DateTimeField()),
                ("used", models.BigIntegerField(default=0)),
                ("tenant", _tenant()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "key_id", "measure"), name="allowance_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", _row_id()),
                ("number", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                ("actor", models.CharField(max_length=300)),
                ("action", models.CharField(max_length=100)),
                ("subject", models.CharField(blank=True, max_length=300)),
                ("detail", models.TextField(default="{}")),
                ("address", models.CharField(blank=True, max_length=64)),
                ("previous_hash", models.BinaryField(max_length=32)),
                ("hash", models.BinaryField(max_length=32)),
                ("tenant", _tenant()),
            ],
            options={
                "indexes": [models.Index(fields=["tenant", "at"], name="audit_entry_in_time")],
                "constraints": [models.UniqueConstraint(fields=("tenant", "number"), name="audit_entry_once")],
            },
        ),
        migrations.RunSQL(sql.read("audit")),
        migrations.RunSQL(sql.read("allowance")),
        migrations.RunSQL(sql.read("tenant_erasure")),
    ]
