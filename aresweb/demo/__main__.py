"""`python -m aresweb.demo --url http://127.0.0.1:8000 --key ares_…` records the demo runs that are not there yet."""

import argparse
import sys

from aresweb.demo.errors import DemoError
from aresweb.demo.seed import SEED, run_each


def main() -> None:
    """Tells of each run on a line; ends with status 1 and the reason where the demo cannot go on."""
    parser = argparse.ArgumentParser(prog="python -m aresweb.demo", description=__doc__)
    parser.add_argument("--url", required=True, help="where aresweb answers")
    parser.add_argument("--key", required=True, help="an API key of the tenant to record for")
    parser.add_argument("--database", help="URL or key=value pairs for psycopg; the application's own by default")
    parser.add_argument("--seed", default=SEED, help="what was recorded under the same seed is not recorded again")
    options = parser.parse_args()
    try:
        for run in run_each(options.url, options.key, options.database, options.seed):
            state = "recorded" if run.new else "was there"
            sys.stdout.write(f"{state}  {run.session_id}  {run.title}\n")
            sys.stdout.flush()
    except DemoError as error:
        sys.exit(f"The demo has stopped. {error}")


if __name__ == "__main__":
    main()
