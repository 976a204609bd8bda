"""What was deleted is not learned again, what was recalled can be found, and limits hold without counting all."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """Two tables, an index for each limit, and the function that blanks some events of a stream."""

    dependencies: ClassVar = [("memory", "0011_experience_map")]
    operations: ClassVar = [
        migrations.CreateModel(
            name="Deletion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.BinaryField(max_length=32)),
                ("stream_name", models.CharField(blank=True, max_length=200)),
                ("user_id", models.CharField(blank=True, max_length=200)),
                ("actor", models.CharField(max_length=250)),
                ("created_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["tenant", "stream_name"], name="deletion_of_stream"),
                    models.Index(
                        condition=models.Q(("user_id", ""), _negated=True),
                        fields=["tenant", "user_id"],
                        name="deletion_of_user",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "digest", "stream_name"), name="deletion_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Recollection",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tenant_id",
                        "experience_id",
                        "stream_id",
                        "version",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("experience_id", models.CharField(max_length=40)),
                ("version", models.BigIntegerField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="memory.tenant",
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
            ],
            options={"indexes": [models.Index(fields=["tenant", "stream"], name="recollection_of_stream")]},
        ),
        migrations.AddIndex(
            "session",
            models.Index(
                condition=models.Q(("expired_at", None)),
                fields=["tenant", "last_active_at", "id"],
                name="session_least_used",
            ),
        ),
        migrations.AddIndex("task", models.Index(fields=["tenant", "updated_at", "id"], name="task_least_changed")),
        migrations.RunSQL(sql.read("recollections")),
    ]
