"""Gives everything that can be searched its vectors by the model in use, beside those of the model before."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.embedding.current import embedder
from memory.errors import AresError
from memory.layers import embedding
from memory.models import Tenant
from memory.retrieval.vector import VectorStore
from memory.tenancy import tenant_scope

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
        model = embedder()
        tenants = Tenant.objects.order_by("slug")
        if options["tenant"]:
            tenants = tenants.filter(slug=options["tenant"])
            if not tenants:
                raise CommandError(f"There is no tenant {options['tenant']!r}.")
        try:
            for tenant in tenants:
                done = self._tenant(tenant)
                with tenant_scope(tenant.pk):
                    gone = embedding.prune(model.model) if options["prune"] else 0
                self.stdout.write(f"{tenant.slug}: {done} embedded by {model.model}, {gone} older vectors deleted")
            with tenant_scope(tenants[0].pk):
                VectorStore().create_collection(model.model, model.dimension)
        except AresError as error:
            raise CommandError(f"{error.detail} What is done is kept: run this again.") from error

    def _tenant(self, tenant: Tenant) -> int:
        model = embedder()
        done = 0
        while True:
            with tenant_scope(tenant.pk):
                subjects = embedding.unembedded(model.model, BATCH)
                lacking = embedding.lacking(subjects, model.model)
            if not lacking:
                return done
            vectors = model.embed_passages([item.passage for item in lacking])
            with tenant_scope(tenant.pk):
                embedding.keep(subjects, lacking, vectors, model.model)
            done += len(lacking)
            self.stderr.write(f"{tenant.slug}: {done} …", ending="\r")
