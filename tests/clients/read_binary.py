#!/usr/bin/env python3
"""Reads a binary rank map as the comment of rank_map/binary.hpp describes it, with nothing of topoplan, and compares it with the JSON.

read_binary.py --emit PROGRAM
"""

import argparse
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

MASK = (1 << 64) - 1
A, B = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F
COLUMNS = ["host", "gpu", "local_rank", "domain", "host_begin", "host_ranks", "host_by_name", "name_begin", "names", "spare_begin",
           "spare_gpus", "rail", "numa", "uuid", "pci"]
AXES = ["tp", "cp", "ep", "dp", "pp", "expert_tp", "expert_dp"]


def rotate(x, by):
    return (x << by | x >> (64 - by)) & MASK


def hash64(data):
    """core/hash.hpp: four lanes of 64-bit words, then splitmix64's finalizer."""
    lanes = [A, B, A ^ B, (A + B) & MASK]
    padded = data + bytes(-len(data) % 32)
    for i, (word,) in enumerate(struct.iter_unpack("<Q", padded)):
        lanes[i % 4] = rotate((lanes[i % 4] + word * B) & MASK, 31) * A & MASK
    h = len(data) * A & MASK
    for lane in lanes:
        h = (rotate((h ^ lane) * B & MASK, 27) + A) & MASK
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & MASK
    h = (h ^ h >> 27) * 0x94D049BB133111EB & MASK
    return h ^ h >> 31


def numbers(data, kind):
    return [n for (n,) in struct.iter_unpack("<" + kind, data)]


def pieces(begin, items):
    return [items[a:b] for a, b in zip(begin, begin[1:])]


def read(data):
    assert data[:8] == b"\x89TPMAP\r\n" and data[8:12] == b"\x04\x03\x02\x01"
    version, size, check = struct.unpack_from("<IQQ", data, 12)
    assert version == 1 and size == len(data)
    world, hosts, domains, spares, contiguous, uuid_width, pci_width = struct.unpack_from("<7I", data, 32)
    degrees = struct.unpack_from("<7I", data, 60)
    order = data[89:89 + data[88]]
    cluster, workload, blocks = struct.unpack_from("<3Q", data, 96)
    column = {}
    for i, name in enumerate(COLUMNS):
        offset, length = struct.unpack_from("<2Q", data, 120 + 16 * i)
        assert offset % 64 == 0
        column[name] = data[offset:offset + length]
    first = struct.unpack_from("<Q", data, 120)[0]

    assert check == hash64(data[:24] + bytes(8) + data[32:360] + data[360:360 + 8 * blocks])
    for i, stored in enumerate(numbers(data[360:360 + 8 * blocks], "Q")):
        assert stored == hash64(data[first + 16384 * i:min(first + 16384 * (i + 1), size)])

    names = [piece.decode() for piece in pieces(numbers(column["name_begin"], "I"), column["names"])]
    ranks = {name: numbers(column[name], kind) for name, kind in [("host", "I"), ("gpu", "H"), ("local_rank", "H"), ("domain", "I")]}
    for name, kind in [("rail", "H"), ("numa", "h")]:
        if column[name]:
            ranks[name] = numbers(column[name], kind)
    for name, width in [("uuid", uuid_width), ("pci", pci_width)]:
        if width:
            ranks[name] = [column[name][i:i + width].rstrip(b"\0").decode() for i in range(0, world * width, width)]
    on_host = pieces(numbers(column["host_begin"], "I"), numbers(column["host_ranks"], "I"))
    assert on_host == [[r for r in range(world) if ranks["host"][r] == h] for h in range(hosts)]
    assert [names[h] for h in numbers(column["host_by_name"], "I")] == sorted(names[:hosts])
    assert domains == max(ranks["domain"]) + 1
    assert bool(contiguous) == all(r[-1] - r[0] + 1 == len(r) for r in on_host)
    spare_gpus = pieces(numbers(column["spare_begin"], "I"), numbers(column["spare_gpus"], "H"))
    digest = lambda value: f"{value:016x}" if value else ""
    return {"format": "topoplan.rank_map", "version": 1, "world_size": world, "order": "-".join(AXES[a] for a in order),
            "degrees": dict(zip(AXES, degrees)), "hosts": names[:hosts], "ranks": ranks,
            "spares": [{"host": name, "gpus": gpus} for name, gpus in zip(names[hosts:hosts + spares], spare_gpus)],
            "digest": {"cluster": digest(cluster), "workload": digest(workload)}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--emit", required=True)
    arguments = parser.parse_args()
    many = [f"h{i}" for i in range(700)]
    for shape, hosts in [("contiguous", ["gpu-9", "gpu-10"]), ("interleaved", ["b", "a", "d", "c"]), ("contiguous", many)]:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([arguments.emit, folder, shape, *hosts], check=True)
            expected = json.loads(Path(folder, "rank_map.json").read_text())
            del expected["groups"]
            found = read(Path(folder, "rank_map.bin").read_bytes())
        if found != expected:
            print("the binary file differs from the JSON document:", *(k for k in expected if found.get(k) != expected[k]))
            return 1
        print(f"{shape}: {found['world_size']} ranks read")
    return 0


sys.exit(main())
