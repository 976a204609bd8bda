"""What is found in runs: causal links, hints, and the pieces by which texts are recognised."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """Four tables; the last operation puts them under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0014_access")]
    operations: ClassVar = [
        migrations.CreateModel(
            name="Piece",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id",
                        "stream_id",
                        "digest",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("digest", models.BigIntegerField()),
                ("version", models.BigIntegerField()),
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
        ),
        migrations.CreateModel(
            name="Analysis",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField(default=0)),
                ("ruleset", models.CharField(max_length=40)),
                ("key", models.BinaryField(max_length=16)),
                ("linker", models.JSONField(null=True)),
                ("watch", models.JSONField(null=True)),
                ("analysed_at", models.DateTimeField()),
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
                "constraints": [models.UniqueConstraint(fields=("tenant", "stream"), name="analysis_once")],
            },
        ),
        migrations.CreateModel(
            name="CausalLink",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id",
                        "stream_id",
                        "effect",
                        "cause",
                        "kind",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("effect", models.BigIntegerField()),
                ("cause", models.BigIntegerField()),
                ("kind", models.CharField(max_length=12)),
                ("certainty", models.FloatField()),
                ("how", models.CharField(max_length=20)),
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
                "indexes": [models.Index(fields=["tenant", "stream", "cause", "effect"], name="causal_link_of_cause")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("cause__lt", models.F("effect"))), name="causal_link_goes_forward"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Hint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rule", models.CharField(max_length=40)),
                ("severity", models.CharField(max_length=10)),
                ("version", models.BigIntegerField()),
                ("evidence", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ("first_evidence", models.BigIntegerField()),
                ("sentence", models.TextField()),
                ("tokens_before", models.BigIntegerField()),
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
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "stream", "version", "rule"), name="hint_once")
                ],
            },
        ),
        migrations.RunSQL(sql.read("analysis")),
    ]
