"""Retrieval: documents with their passages, tools, and the index of terms, with what `retrieval.sql` puts around."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from memory import sql, vocabulary


class Migration(migrations.Migration):
    """Five tables; the last operation puts them under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0006_distilled")]
    operations: ClassVar = [
        migrations.CreateModel(
            name="Knowledge",
            fields=[
                ("id", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("title", models.TextField()),
                ("text", models.TextField()),
                ("metadata", models.JSONField(default=dict)),
                ("embedding_status", models.CharField(default=vocabulary.WorkStatus["PENDING"], max_length=20)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                ("id", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("number", models.IntegerField()),
                ("text", models.TextField()),
                (
                    "knowledge",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="memory.knowledge",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Posting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("collection", models.CharField(max_length=20)),
                ("term", models.CharField(db_collation="C", max_length=64)),
                ("text_id", models.BigIntegerField()),
                ("frequency", models.FloatField()),
                ("length", models.FloatField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Tool",
            fields=[
                ("id", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
                ("description", models.TextField()),
                ("schema", models.JSONField(null=True)),
                ("embedding_status", models.CharField(default=vocabulary.WorkStatus["PENDING"], max_length=20)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="IndexedText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("collection", models.CharField(max_length=20)),
                ("item_id", models.CharField(max_length=40)),
                ("length", models.FloatField(default=0)),
                (
                    "terms",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                (
                    "names",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                ("sequence", models.CharField(blank=True, max_length=200)),
                ("place", models.BigIntegerField(default=0)),
                ("leaning", models.FloatField(default=0)),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("sequence", ""), _negated=True),
                        fields=["tenant", "collection", "sequence", "place"],
                        name="indexed_text_in_sequence",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "collection", "item_id"), include=("length",), name="indexed_text_once"
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="knowledge",
            index=models.Index(
                models.F("tenant"),
                models.OrderBy(models.F("created_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="knowledge_recent",
            ),
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.UniqueConstraint(fields=("tenant", "knowledge", "number"), name="passage_once"),
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.UniqueConstraint(
                fields=("tenant", "collection", "term", "text_id"), include=("frequency", "length"), name="posting_once"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                models.F("tenant"),
                models.OrderBy(models.F("created_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="tool_recent",
            ),
        ),
        migrations.AddConstraint(
            model_name="tool",
            constraint=models.UniqueConstraint(fields=("tenant", "name"), name="tool_once"),
        ),
        migrations.RunSQL(sql.read("retrieval")),
    ]
