"""What a stream's row tells of its agent: when it worked last, when it said that it lives, and what of its process."""

from typing import ClassVar

from django.db import migrations, models

from memory import sql


class Migration(migrations.Migration):
    """Adds the columns and an index of recoveries; of streams that are there, the newest event counts as work."""

    dependencies: ClassVar = [("memory", "0003_verification")]
    operations: ClassVar = [
        migrations.AddField("stream", "last_work_at", models.DateTimeField(null=True)),
        migrations.AddField("stream", "last_heartbeat_at", models.DateTimeField(null=True)),
        migrations.AddField("stream", "agent_status", models.CharField(blank=True, max_length=20)),
        migrations.AddField("stream", "agent_status_at", models.DateTimeField(null=True)),
        migrations.RunSQL(sql.read("agents")),
        migrations.AddIndex(
            "event",
            models.Index(
                condition=models.Q(type="agent.restored"), fields=["tenant", "recorded_at"], name="event_restored"
            ),
        ),
    ]
