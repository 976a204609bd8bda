"""Distilled memory: experiences and where they came from, vectors, distillations and their decisions, the queue."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
import pgvector.django.vector
from django.db import migrations, models

from memory import sql, vocabulary


class Migration(migrations.Migration):
    """Nine tables; the last operation puts them under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0005_segments")]
    operations: ClassVar = [
        migrations.RunSQL(sql.read("need_pgvector")),
        migrations.CreateModel(
            name="EmbeddingModel",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200, unique=True)),
                ("dimension", models.IntegerField()),
                ("unrelated", models.FloatField()),
                ("paraphrased", models.FloatField()),
                ("measured_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Distillation",
            fields=[
                ("id", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("mode", models.CharField(max_length=20)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("status", models.CharField(default=vocabulary.WorkStatus["PENDING"], max_length=20)),
                ("stream_name", models.CharField(max_length=200)),
                ("session_id", models.CharField(blank=True, max_length=40)),
                ("task_id", models.CharField(blank=True, max_length=40)),
                ("user_id", models.CharField(blank=True, max_length=200)),
                ("agent_id", models.CharField(blank=True, max_length=200)),
                ("draft", models.BooleanField(default=False)),
                ("rules", models.JSONField(default=dict)),
                ("requested_by", models.CharField(blank=True, max_length=200)),
                ("error", models.TextField(blank=True)),
                ("messages", models.IntegerField(default=0)),
                ("exchanges", models.IntegerField(default=0)),
                ("candidates", models.IntegerField(default=0)),
                ("input_tokens", models.BigIntegerField(default=0)),
                ("memory_tokens", models.BigIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(null=True)),
                ("completed_at", models.DateTimeField(null=True)),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Experience",
            fields=[
                ("id", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("user_id", models.CharField(blank=True, max_length=200)),
                ("agent_id", models.CharField(blank=True, max_length=200)),
                ("kind", models.CharField(max_length=20)),
                ("method", models.CharField(max_length=20)),
                ("problem", models.TextField(blank=True)),
                ("solution", models.TextField()),
                ("language", models.CharField(blank=True, max_length=10)),
                (
                    "entities",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                ("subject", models.CharField(blank=True, max_length=200)),
                ("value", models.TextField(blank=True)),
                ("confidence", models.FloatField()),
                ("importance", models.FloatField()),
                ("status", models.CharField(default=vocabulary.ExperienceStatus["ACTIVE"], max_length=20)),
                ("pinned", models.BooleanField(default=False)),
                ("helpful", models.IntegerField(default=0)),
                ("harmful", models.IntegerField(default=0)),
                ("uses", models.IntegerField(default=0)),
                ("last_used_at", models.DateTimeField(null=True)),
                ("valid_from", models.DateTimeField()),
                ("valid_to", models.DateTimeField(null=True)),
                ("digest", models.BinaryField(max_length=32)),
                ("tokens", models.IntegerField(default=0)),
                ("revision", models.IntegerField(default=1)),
                ("embedding_status", models.CharField(default=vocabulary.WorkStatus["PENDING"], max_length=20)),
                ("metadata", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                (
                    "abstraction",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="members",
                        to="memory.experience",
                    ),
                ),
                (
                    "superseded_by",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="supersedes",
                        to="memory.experience",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.IntegerField()),
                ("stage", models.CharField(max_length=20)),
                ("action", models.CharField(max_length=20)),
                ("rule", models.CharField(max_length=60)),
                ("reason", models.TextField()),
                ("similarity", models.FloatField(null=True)),
                ("candidate", models.JSONField()),
                ("digest", models.BinaryField(default=b"", max_length=32)),
                ("neighbour_id", models.CharField(blank=True, max_length=40)),
                ("neighbour_text", models.TextField(blank=True)),
                ("result_text", models.TextField(blank=True)),
                ("created_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
                (
                    "distillation",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="memory.distillation",
                    ),
                ),
                (
                    "experience",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="memory.experience",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="QueueItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("queue", models.CharField(max_length=20)),
                ("dedupe_key", models.CharField(max_length=200)),
                ("subject_id", models.CharField(max_length=200)),
                ("status", models.CharField(default=vocabulary.WorkStatus["PENDING"], max_length=20)),
                ("attempts", models.IntegerField(default=0)),
                ("run_at", models.DateTimeField()),
                ("leased_until", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=100)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.IntegerField()),
                ("change", models.CharField(max_length=20)),
                ("actor", models.CharField(max_length=250)),
                ("reason", models.TextField(blank=True)),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField()),
                ("created_at", models.DateTimeField()),
                (
                    "experience",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="memory.experience",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("distillation_id", models.CharField(blank=True, max_length=40)),
                ("stream_name", models.CharField(max_length=200)),
                ("event_version", models.BigIntegerField()),
                ("message_id", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField()),
                (
                    "experience",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sources",
                        to="memory.experience",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TenantSetting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("value", models.CharField(max_length=200)),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Vector",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("collection", models.CharField(max_length=20)),
                ("item_id", models.CharField(max_length=40)),
                ("model", models.CharField(max_length=200)),
                ("dimension", models.IntegerField()),
                ("vector", pgvector.django.vector.VectorField()),
                ("text_digest", models.BinaryField(max_length=32)),
                ("created_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="distillation",
            index=models.Index(
                models.F("tenant"),
                models.OrderBy(models.F("created_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="distillation_recent",
            ),
        ),
        migrations.AddIndex(
            model_name="distillation",
            index=models.Index(fields=["tenant", "stream_name"], name="distillation_of_stream"),
        ),
        migrations.AddIndex(
            model_name="distillation",
            index=models.Index(fields=["tenant", "task_id"], name="distillation_of_task"),
        ),
        migrations.AddIndex(
            model_name="experience",
            index=models.Index(fields=["tenant", "status", "user_id", "kind"], name="experience_of_user"),
        ),
        migrations.AddIndex(
            model_name="experience",
            index=models.Index(
                models.F("tenant"),
                models.OrderBy(models.F("updated_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="experience_recent",
            ),
        ),
        migrations.AddIndex(
            model_name="experience",
            index=models.Index(fields=["tenant", "abstraction"], name="experience_of_abstraction"),
        ),
        migrations.AddIndex(
            model_name="experience",
            index=models.Index(fields=["tenant", "superseded_by"], name="experience_superseded_by"),
        ),
        migrations.AddConstraint(
            model_name="experience",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", vocabulary.ExperienceStatus["DRAFT"]), _negated=True),
                fields=("tenant", "digest"),
                name="experience_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="experience",
            constraint=models.CheckConstraint(
                condition=models.Q(("confidence__gte", 0), ("confidence__lte", 1)), name="experience_confidence"
            ),
        ),
        migrations.AddConstraint(
            model_name="experience",
            constraint=models.CheckConstraint(
                condition=models.Q(("importance__gte", 0), ("importance__lte", 1)), name="experience_importance"
            ),
        ),
        migrations.AddIndex(
            model_name="decision",
            index=models.Index(fields=["tenant", "experience"], name="decision_of_experience"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(fields=("tenant", "distillation", "number"), name="decision_once"),
        ),
        migrations.AddIndex(
            model_name="queueitem",
            index=models.Index(fields=["tenant", "queue", "status", "run_at"], name="queue_item_next"),
        ),
        migrations.AddConstraint(
            model_name="queueitem",
            constraint=models.UniqueConstraint(fields=("tenant", "queue", "dedupe_key"), name="queue_item_once"),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(fields=("tenant", "experience", "number"), name="revision_once"),
        ),
        migrations.AddIndex(
            model_name="source",
            index=models.Index(fields=["tenant", "stream_name", "event_version"], name="source_of_event"),
        ),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.UniqueConstraint(
                fields=("tenant", "experience", "stream_name", "event_version"), name="source_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="tenantsetting",
            constraint=models.UniqueConstraint(fields=("tenant", "name"), name="tenant_setting_once"),
        ),
        migrations.AddIndex(
            model_name="vector",
            index=models.Index(fields=["tenant", "model", "text_digest"], name="vector_of_text"),
        ),
        migrations.AddConstraint(
            model_name="vector",
            constraint=models.UniqueConstraint(fields=("tenant", "collection", "item_id", "model"), name="vector_once"),
        ),
        migrations.AddIndex(
            model_name="decision",
            index=models.Index(fields=["tenant", "digest"], name="decision_of_candidate"),
        ),
        migrations.AddIndex(
            model_name="experience",
            index=models.Index(
                condition=~models.Q(subject=""), fields=["tenant", "user_id", "subject"], name="experience_of_subject"
            ),
        ),
        migrations.RunSQL(sql.read("distilled")),
    ]
