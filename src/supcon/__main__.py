"""`python -m supcon`."""

import sys

from supcon.cli.main import main

sys.exit(main())
