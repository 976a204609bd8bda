"""The names of all rules fit into one setting of a tenant's."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0012_deletions_and_recollections"),
    ]

    operations = [
        migrations.AlterField(
            model_name="tenantsetting",
            name="value",
            field=models.CharField(max_length=500),
        ),
    ]
