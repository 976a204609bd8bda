"""Gives everything that can be searched its vectors by the model in use, beside those of the model before."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory import queue
from memory.embedding import current
from memory.embedding.spec import Embedder
from memory.errors import AresError, ServiceFailed
from memory.jobs import index_vectors
from memory.layers import embedding
from memory.models import Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Queue, WorkStatus

BATCH = 32


class Command(BaseCommand):
    """Move to another embedding model while search goes on.

    Run it with the new model's ARES_EMBEDDING_… while the servers still run with the old one; then restart them with
    the new one, and run it again with --prune. It can be broken off and run again at any time.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """The arguments."""
        parser.add_argument("--tenant", help="only this one")
        parser.add_argument("--prune", action="store_true", help="delete the vectors of other models afterwards")

    def handle(self, *args: Any, **options: Any) -> None:
        """Embed what lacks a vector, tenant by tenant, and tell how far it is."""
        model = current.embedder()
        tenants = Tenant.objects.order_by("slug")
        if options["tenant"]:
            tenants = tenants.filter(slug=options["tenant"])
            if not tenants:
                raise CommandError(f"There is no tenant {options['tenant']!r}.")
        try:
            current.calibrate(model)
            for tenant in tenants:
                done = self._tenant(tenant, model)
                with tenant_scope(tenant.pk):
                    gone = embedding.prune(model.model) if options["prune"] else 0
                self.stdout.write(f"{tenant.slug}: {done} embedded by {model.model}, {gone} older vectors deleted")
            index_vectors()
        except AresError as error:
            raise CommandError(f"{error.detail} What is done is kept: run this again.") from error

    def _tenant(self, tenant: Tenant, model: Embedder) -> int:
        done = 0
        while True:
            with tenant_scope(tenant.pk):
                waiting = embedding.count_unembedded(model.model)
                subjects = embedding.unembedded(model.model, BATCH)
            if not subjects:
                return done
            self.stderr.write(f"{tenant.slug}: {done} embedded, {waiting} to go")
            try:
                done += self._batch(tenant, subjects, model)
            except ServiceFailed as error:
                if error.may_pass:
                    raise
                # Something among them is not taken: the worker finds out what, and an operator sees it.
                with tenant_scope(tenant.pk):
                    queue.put(Queue.EMBEDDING, subjects)
                self.stderr.write(f"{tenant.slug}: {len(subjects)} left to the worker: {error.detail}")

    def _batch(self, tenant: Tenant, subjects: list[str], model: Embedder) -> int:
        with tenant_scope(tenant.pk):
            lacking = embedding.lacking(subjects, model.model)
        for start in range(0, len(lacking), BATCH):
            step = lacking[start : start + BATCH]
            made = embedding.vectors(tenant.pk, [item.passage for item in step], model)
            with tenant_scope(tenant.pk):
                embedding.keep(subjects, step, made, model.model)
        with tenant_scope(tenant.pk):
            embedding.mark(subjects, WorkStatus.COMPLETED)
        return len(lacking)
