"""The names of all rules fit into one setting of a tenant's."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0010_notes_and_views"),
    ]

    operations = [
        migrations.AlterField(
            model_name="tenantsetting",
            name="value",
            field=models.CharField(max_length=500),
        ),
    ]
