#!/usr/bin/env python
"""Django's command line for aresweb."""

import os
import sys

from django.core.management import execute_from_command_line
from django.db import OperationalError

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aresweb.settings")
    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        sys.exit(f"The database does not answer: {error}")
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
