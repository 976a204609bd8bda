"""The tables as Django makes them; what PostgreSQL adds comes with the next migration."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import memory.models.event
import memory.vocabulary
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Stream',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('version', models.BigIntegerField(default=0)),
                ('last_hash', models.BinaryField(max_length=32)),
                ('created_at', models.DateTimeField()),
                ('last_event_at', models.DateTimeField()),
                ('agent_id', models.CharField(blank=True, max_length=200)),
                ('user_id', models.CharField(blank=True, max_length=200)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('outcome', models.CharField(default=memory.vocabulary.Outcome['UNKNOWN'], max_length=20)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('error_count', models.BigIntegerField(default=0)),
                ('open_tasks', models.BigIntegerField(default=0)),
                ('input_tokens', models.BigIntegerField(default=0)),
                ('output_tokens', models.BigIntegerField(default=0)),
                ('event_types', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), default=list, size=None)),
                ('strip', models.CharField(blank=True, max_length=130)),
                ('strip_bin', models.BigIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name='Tenant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=63, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('is_active', models.BooleanField(default=True)),
                ('is_staff', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('user_id', models.CharField(max_length=200)),
                ('agent_id', models.CharField(blank=True, max_length=200)),
                ('metadata', models.JSONField(default=dict)),
                ('message_count', models.IntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('last_active_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('expired_at', models.DateTimeField(null=True)),
                ('stream', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, to='memory.stream')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
        ),
        migrations.AddField(
            model_name='stream',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.tenant'),
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.BigIntegerField()),
                ('reducer_version', models.IntegerField()),
                ('stream_hash', models.BinaryField(max_length=32)),
                ('state', models.JSONField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('stream', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.stream')),
                ('tenant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('event_version', models.BigIntegerField()),
                ('role', models.CharField(max_length=50)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('content', models.JSONField(null=True)),
                ('tool_calls', models.JSONField(null=True)),
                ('tool_call_id', models.CharField(blank=True, max_length=200)),
                ('occurred_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField()),
                ('session', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.session')),
                ('tenant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[(memory.vocabulary.Role['VIEWER'], memory.vocabulary.Role['VIEWER']), (memory.vocabulary.Role['OPERATOR'], memory.vocabulary.Role['OPERATOR']), (memory.vocabulary.Role['ADMIN'], memory.vocabulary.Role['ADMIN'])], default=memory.vocabulary.Role['VIEWER'], max_length=20)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('request_digest', models.BinaryField(max_length=32)),
                ('status', models.IntegerField(null=True)),
                ('answer', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'stream_id', 'version', blank=True, editable=False, primary_key=True, serialize=False)),
                ('version', models.BigIntegerField()),
                ('event_id', models.CharField(max_length=200)),
                ('type', models.CharField(max_length=100)),
                ('payload_json', memory.models.event.JSONTextField()),
                ('metadata_json', memory.models.event.JSONTextField()),
                ('occurred_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField()),
                ('causation_id', models.CharField(blank=True, max_length=200)),
                ('correlation_id', models.CharField(blank=True, max_length=200)),
                ('is_error', models.BooleanField(default=False)),
                ('digest', models.BinaryField(max_length=32)),
                ('hash', models.BinaryField(max_length=32)),
                ('position', models.BigIntegerField()),
                ('transaction_id', models.BigIntegerField()),
                ('erased_at', models.DateTimeField(null=True)),
                ('stream', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.stream')),
                ('tenant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('prefix', models.CharField(db_index=True, max_length=12)),
                ('secret_hash', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('user_id', models.CharField(max_length=200)),
                ('input', models.JSONField(null=True)),
                ('output', models.JSONField(null=True)),
                ('status', models.CharField(default=memory.vocabulary.TaskStatus['OPEN'], max_length=20)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('session', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, to='memory.session')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='memory.tenant')),
            ],
            options={
                'indexes': [models.Index(fields=['tenant', 'session'], name='task_of_session')],
            },
        ),
        migrations.AddIndex(
            model_name='stream',
            index=models.Index(models.F('tenant'), models.OrderBy(models.F('last_event_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='stream_recent'),
        ),
        migrations.AddIndex(
            model_name='stream',
            index=models.Index(fields=['tenant', 'agent_id'], name='stream_agent'),
        ),
        migrations.AddConstraint(
            model_name='stream',
            constraint=models.UniqueConstraint(fields=('tenant', 'name'), name='stream_name_once'),
        ),
        migrations.AddConstraint(
            model_name='snapshot',
            constraint=models.UniqueConstraint(fields=('tenant', 'stream', 'reducer_version', 'version'), name='snapshot_once'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(condition=models.Q(('expired_at', None)), fields=['tenant', 'expires_at'], name='session_due'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(models.F('tenant'), models.F('agent_id'), models.OrderBy(models.F('last_active_at'), descending=True), name='session_of_agent'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(fields=('tenant', 'session', 'number'), name='message_number_once'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('tenant', 'user'), name='membership_once'),
        ),
        migrations.AddConstraint(
            model_name='idempotencykey',
            constraint=models.UniqueConstraint(fields=('tenant', 'key'), name='idempotency_key_once'),
        ),
        migrations.AddIndex(
            model_name='event',
            index=models.Index(fields=['tenant', 'transaction_id', 'position'], name='event_cursor'),
        ),
        migrations.AddIndex(
            model_name='event',
            index=django.contrib.postgres.indexes.BrinIndex(fields=['recorded_at'], name='event_recorded'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('tenant', 'event_id'), name='event_id_once'),
        ),
        migrations.AddConstraint(
            model_name='apikey',
            constraint=models.UniqueConstraint(fields=('tenant', 'prefix'), name='api_key_prefix_once'),
        ),
    ]
