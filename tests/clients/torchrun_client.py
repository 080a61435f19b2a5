#!/usr/bin/env python3
"""Runs an emitted torchrun script as it is, for every host of a small map, under PyTorch with gloo on the CPU.

torchrun_client.py --emit PROGRAM (or --cli PROGRAM): emits a map of 8 ranks on 2 hosts, starts one script a host, and wants every
process to find itself where the map says and every group to add up. Then the map is shuffled, and the same run must fail.
With --per-gpu the ranks of hosts take turns, so that the script starts one agent a GPU. Exits 77, with a message, where
PyTorch isn't installed.
"""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
SECONDS = 100


def find_torch():
    """The words that start torchrun, or None. Debian's python3-torch belongs to /usr/bin/python3."""
    for python in ("/usr/bin/python3", sys.executable):
        probe = subprocess.run([python, "-c", "import torch, torch.distributed as d; assert d.is_gloo_available; "
                                "print(torch.__version__)"], capture_output=True, text=True)
        if probe.returncode == 0:
            version = [int(n) for n in re.findall(r"\d+", probe.stdout)[:2]]
            return python, version
    return None, None


def torchrun_words(python, version, logs):
    words = f"{python} -m torch.distributed.run --monitor_interval=0.2 --log_dir={logs}"
    if version < [2, 0]:
        words += " --redirects=9:1 --tee=9:1"  # 1.13 can't parse its own default under Python 3.11
    return words


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_all(script, plan, map_file, agents, words):
    """Runs the script for every host at once. Returns the exit statuses and everything that was printed."""
    port = free_port()
    children, log = [], tempfile.TemporaryFile("w+")
    for host in plan["hosts"]:
        environment = dict(os.environ, TORCHRUN=words, TOPOPLAN_TEST_HOST=host, TOPOPLAN_TEST_AGENTS=agents,
                           OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
        command = ["bash", script, host, "--master_addr=127.0.0.1", f"--master_port={port}", HERE / "check_rank.py", map_file]
        children.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True))
    statuses, deadline = [None] * len(children), time.monotonic() + SECONDS
    try:
        while None in statuses and time.monotonic() < deadline:
            statuses = [child.poll() for child in children]
            if any(statuses):  # one has failed: the others would only wait for it
                break
            time.sleep(0.05)
    finally:
        for child in children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGTERM)
        for child in children:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
    log.seek(0)
    return [child.returncode for child in children], log.read()


def shuffled(plan):
    """The same plan with two ranks of different hosts exchanged."""
    ranks = plan["ranks"]
    a = 0
    b = next(r for r in range(plan["world_size"]) if ranks["host"][r] != ranks["host"][a])
    for column in ranks.values():
        column[a], column[b] = column[b], column[a]
    return plan


def emit(arguments, folder):
    if arguments.cli:
        from_spec = [arguments.cli, "place", "--cluster", HERE / "two_hosts.json", "--tp", "2", "--ep", "2", "--pp", "2",
                     "--groups", "--out", folder]
        subprocess.run(from_spec, check=True, stdout=subprocess.DEVNULL)
    else:
        subprocess.run([arguments.emit, folder, "interleaved" if arguments.per_gpu else "contiguous", "gpu-9", "gpu-10"], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--emit")
    parser.add_argument("--cli")
    parser.add_argument("--per-gpu", action="store_true")
    arguments = parser.parse_args()
    python, version = find_torch()
    if python is None:
        print("skipped: PyTorch isn't installed (Debian: apt-get install python3-torch)")
        return SKIPPED
    agents = "gpu" if arguments.per_gpu else "host"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "plan")
        emit(arguments, folder)
        script, map_file = folder / "torchrun" / "run.sh", folder / "rank_map.json"
        plan = json.loads(map_file.read_text())
        words = torchrun_words(python, version, Path(scratch, "logs"))
        statuses, log = start_all(script, plan, map_file, agents, words)
        if any(statuses) or "ranks add up" not in log:
            print(log, f"the planned map: exit statuses {statuses}", sep="\n")
            return 1
        print(re.search(r"all .* add up", log).group())
        if arguments.per_gpu:
            return 0

        wrong = Path(scratch, "shuffled.json")
        wrong.write_text(json.dumps(shuffled(plan)))
        statuses, log = start_all(script, plan, wrong, agents, words)
        if not any(statuses) or not re.search(r"rank \d+ runs on \S+, planned on \S+", log):
            print(log, f"the shuffled map wasn't noticed: exit statuses {statuses}", sep="\n")
            return 1
        print("shuffled:", re.search(r"rank \d+ runs on \S+, planned on \S+", log).group())
    return 0


sys.exit(main())
