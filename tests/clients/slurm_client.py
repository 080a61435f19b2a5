#!/usr/bin/env python3
"""Runs the emitted Slurm files as they are: srun.sh starts a step in a real Slurm cluster of this machine, and every task must find
itself where the rank map says. The host names' order in Slurm's table isn't that of the map.

slurm_client.py --emit PROGRAM. Exits 77, with a message, where Slurm or the right to make namespaces is missing.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
HOSTS = ["n2", "n0", "n3", "n1"]
TASK = "echo rank=$RANK world=$WORLD_SIZE host=$SLURMD_NODENAME gpu=$CUDA_VISIBLE_DEVICES master=$MASTER_ADDR:$MASTER_PORT"


def missing():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    tools = [tool for tool in ("srun", "slurmctld", "slurmd", "munged", "ip", "unshare") if not shutil.which(tool)]
    if tools:
        return f"{', '.join(tools)} not installed (Debian: apt-get install slurm-wlm munge iproute2)"
    if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "-u", "--pid", "--fork", "true"], capture_output=True).returncode:
        return "namespaces can't be made here (needs root)"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--emit", required=True)
    arguments = parser.parse_args()
    if why := missing():
        print("skipped:", why)
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        plan_folder = Path(scratch, "plan")
        subprocess.run([arguments.emit, plan_folder, "interleaved", *HOSTS], check=True)
        plan = json.loads((plan_folder / "rank_map.json").read_text())
        command = ["timeout", "60", "unshare", "-n", "-u", "--pid", "--fork", "--kill-child", "--mount-proc",
                   "bash", HERE / "slurm_cluster.sh", Path(scratch, "slurm"), ",".join(sorted(HOSTS)),
                   "bash", plan_folder / "slurm" / "srun.sh", "bash", "-c", TASK]
        run = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, SRUN="srun --overcommit"))
        ranks = plan["ranks"]
        master = plan["hosts"][0]
        expected = {f"rank={r} world={plan['world_size']} host={plan['hosts'][ranks['host'][r]]} gpu={ranks['gpu'][r]} "
                    f"master={master}:29500" for r in range(plan["world_size"])}
        found = re.findall(r"^rank=.*$", run.stdout, re.MULTILINE)
        if run.returncode or sorted(found) != sorted(expected):
            print(run.stdout, run.stderr, f"exit status {run.returncode}", "expected:", *sorted(expected), sep="\n")
            return 1
        print(f"{len(found)} tasks run where the map says")
    return 0


sys.exit(main())
