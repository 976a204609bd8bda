"""Invitations, what ends all sessions of a person, and the cache that processes share."""

from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from memory import sql

ROLES = [("viewer", "viewer"), ("operator", "operator"), ("admin", "admin")]


class Migration(migrations.Migration):
    """One column and two tables; the last operation puts invitations under the tenants' policy."""

    dependencies: ClassVar = [("memory", "0015_analysis")]
    operations: ClassVar = [
        migrations.AddField("user", "session_epoch", models.PositiveIntegerField(default=0)),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                ("role", models.CharField(choices=ROLES, max_length=20)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to="memory.tenant"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("accepted_at", None), ("revoked_at", None)),
                        fields=("tenant", "email"),
                        name="invitation_open_once",
                    )
                ],
            },
        ),
        migrations.RunSQL(sql.read("people")),
    ]
