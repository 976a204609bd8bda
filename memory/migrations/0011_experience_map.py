"""The map of experiences."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """One table; the last operation puts it under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0010_notes_and_views")]
    operations: ClassVar = [
        migrations.CreateModel(
            name="ExperienceMap",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("points", models.JSONField(default=list)),
                ("drawn_from", models.CharField(max_length=400)),
                ("drawn_at", models.DateTimeField()),
                ("seconds", models.FloatField()),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("tenant",), name="experience_map_once")]},
        ),
        migrations.RunSQL(sql.read("experience_map")),
    ]
