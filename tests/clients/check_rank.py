"""One rank of a job: checks that it runs where the rank map says, then makes every group of the plan and reduces in each.

check_rank.py RANK_MAP_JSON. The name of the host that this process plays comes in TOPOPLAN_TEST_HOST.
"""

import datetime
import json
import os
import sys


def check_place(plan, rank):
    """The rank's host, GPU and local rank are the map's. In one agent a GPU, each process sees its own GPU only."""
    ranks = plan["ranks"]
    host = plan["hosts"][ranks["host"][rank]]
    assert int(os.environ["WORLD_SIZE"]) == plan["world_size"], f"a world of {os.environ['WORLD_SIZE']} ranks"
    assert os.environ["TOPOPLAN_TEST_HOST"] == host, f"rank {rank} runs on {os.environ['TOPOPLAN_TEST_HOST']}, planned on {host}"
    assert os.environ["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID", os.environ["CUDA_DEVICE_ORDER"]
    visible = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
    local = int(os.environ["LOCAL_RANK"])
    if os.environ["TOPOPLAN_TEST_AGENTS"] == "host":
        assert local == ranks["local_rank"][rank], f"rank {rank} has local rank {local}, planned {ranks['local_rank'][rank]}"
        same_host = [r for r in range(plan["world_size"]) if ranks["host"][r] == ranks["host"][rank]]
        assert [int(g) for g in visible] == [ranks["gpu"][r] for r in same_host], f"rank {rank} sees GPUs {visible}"
    else:
        assert len(visible) == 1 and local == 0, f"rank {rank} sees GPUs {visible}, local rank {local}"
    assert int(visible[local]) == ranks["gpu"][rank], f"rank {rank} has GPU {visible[local]}, planned {ranks['gpu'][rank]}"


def check_groups(plan, rank, torch, dist):
    """Every group adds up what its members bring: their ranks, and a power of two each, so that no other set of ranks fits."""
    domain = plan["ranks"]["domain"]
    for name, groups in plan["groups"].items():
        for members in groups:
            group = dist.new_group(ranks=members, backend="gloo")
            if rank not in members:
                continue
            value = torch.tensor([float(rank), 2.0**rank], dtype=torch.float64)
            dist.all_reduce(value, group=group)
            expected = [float(sum(members)), sum(2.0**r for r in members)]
            assert value.tolist() == expected, f"{name} {members}: {value.tolist()} instead of {expected}"
            assert dist.get_rank(group) == members.index(rank), f"{name} {members}: rank {rank} is at {dist.get_rank(group)}"
            if name == "TENSOR_MODEL_PARALLEL_GROUP":
                assert len({domain[r] for r in members}) == 1, f"{name} {members} leaves its NVLink domain"


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    rank = int(os.environ["RANK"])
    check_place(plan, rank)
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    assert dist.get_rank() == rank and dist.get_world_size() == plan["world_size"]
    check_groups(plan, rank, torch, dist)
    dist.barrier()
    if rank == 0:
        print(f"all {sum(map(len, plan['groups'].values()))} groups of {plan['world_size']} ranks add up", flush=True)
    dist.destroy_process_group()


main()
