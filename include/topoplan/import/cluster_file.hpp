// Reads a cluster file, `topoplan.cluster` version 1: what `topoplan show --json` prints and `--cluster FILE` takes.
//
// One JSON object. Columns rather than objects, since a cluster may hold a million GPUs; ids are positions in a column.
//
//   { "format": "topoplan.cluster", "version": 1,
//     "name": "dgx-h100:2",                              text
//     "fabric": "infiniband",                            a name of fabric_kind
//     "rails": 8, "domains": 2,                          counts
//     "domain_names": ["", ""],                          optional, one a domain
//     "gpu_models": ["H100-SXM 80GB"],                   never empty
//     "links": {                                         all three; bytes per second a GPU and direction, seconds (0: unknown)
//       "nvlink": {"rate": 450000000000, "latency": 0, "from": {"how": "catalogue", "source": "..."}},
//       "pcie": {...}, "nic": {...} },                   how: given, derived, catalogue, extrapolated, assumed
//     "tiers": [                                         leaf first, never empty
//       {"name": "leaf", "oversubscription": 1, "sharp": false, "from": {"how": "given", "source": "topology.conf"},
//        "nodes": {"name": ["leaf1"], "parent": [0]}} ],  parent: index into the next tier's nodes; 0 in the last tier
//     "hosts": {
//       "name": ["a", "b"], "leaf": [0, 0], "gpu_count": [8, 8],
//       "model": [0, 0],                                 optional, index into gpu_models, default 0
//       "address": ["", ""],                             optional, default empty
//       "cordoned": [1] },                               optional, indices of the cordoned hosts
//     "gpus": {                                          by host, then in PCI order
//       "domain": [0, ...], "rail": [0, ...],
//       "index": [0, ...],                               optional, default 0 ... gpu_count-1 on each host
//       "numa": [0, ...],                                optional, default -1, which is "unknown"
//       "unhealthy": [3],                                optional, indices of the unhealthy GPUs
//       "uuid": ["GPU-..."], "pci": ["0000:1b:00.0"] },  optional, one a GPU
//     "notes": ["..."] }                                 optional
//
// An unknown version is refused, unknown further keys are ignored. Printing and reading back yields an equal value.
#pragma once
