"""The attack suite: what an agent, a website, an endpoint, a client or a stranger's file may try, and how often it got
through.

    python benchmarks/attacks/run.py [--only files] [--scale 1.0]

From the root of a clone in which the extra ``dev`` is installed. Prints a table; exits with 1 if anything got through.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

ATTACKS = ("actions", "agents", "network", "endpoint", "servers", "files", "snapshots", "disk", "kills", "soak")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=ATTACKS, help="these alone")
    parser.add_argument("--scale", type=float, default=1.0, help="how many, beside 10,000 actions and 15 kills")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[2]))  # the tests' hostile parts are used here too
    tried = through = 0
    for attack in options.only or ATTACKS:
        began = time.monotonic()
        for finding in importlib.import_module(attack).attack(options.scale):
            tried, through = tried + finding.tried, through + finding.through
            mark = "THROUGH" if finding.through else "held"
            print(f"{mark:<7} {finding.attack}: {finding.through} of {finding.tried:,} ({finding.note})", flush=True)
        print(f"        {attack}: {time.monotonic() - began:.0f} s", flush=True)
    print(f"{tried:,} attempts, {through} through")
    sys.exit(through > 0)


if __name__ == "__main__":
    main()
