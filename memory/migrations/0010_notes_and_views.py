"""What people write to steps, and the lists that they save."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """Two tables; the last operation puts them under the tenants' policy."""

    dependencies: ClassVar = [
        ("memory", "0009_run_forked"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Note",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                ("text", models.CharField(blank=True, max_length=4000)),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), default=list, size=None
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
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
                "ordering": ["version", "pk"],
                "indexes": [
                    models.Index(fields=["tenant", "stream", "version"], name="note_of_step"),
                    django.contrib.postgres.indexes.GinIndex(fields=["tags"], name="note_tags"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(blank=True, max_length=1000)),
                ("created_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [models.UniqueConstraint(fields=("tenant", "user", "name"), name="saved_view_once")],
            },
        ),
        migrations.RunSQL(sql.read("notes")),
    ]
