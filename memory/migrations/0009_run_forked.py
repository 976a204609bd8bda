"""Where a run goes on from: the step of another run that it was forked at."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two columns with defaults of the database, and an index of the few rows that have them."""

    dependencies: ClassVar = [("memory", "0008_ledger")]
    operations: ClassVar = [
        migrations.AddField("stream", "forked_at", models.BigIntegerField(db_default=0, default=0)),
        migrations.AddField(
            "stream", "forked_from", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
        migrations.AddIndex(
            "stream",
            models.Index(condition=~models.Q(forked_from=""), fields=["tenant", "forked_from"], name="stream_forks"),
        ),
    ]
