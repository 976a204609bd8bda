"""The demo: an operations agent that really troubleshoots, and how to record such an agent through the REST API.

Real are PostgreSQL (a schema of its own, dropped at the end), the local HTTP servers, the files, the errors, the times
and everything that is recorded. The language model is not: `model.py` has rules in its place, and the records say so.
Nothing here knows Django. To record an agent of your own, read `client.py`, `recorder.py` and `agent.py`.
"""

from aresweb.demo.errors import DemoError
from aresweb.demo.seed import Seeded, run_all, run_each

__all__ = ["DemoError", "Seeded", "run_all", "run_each"]
