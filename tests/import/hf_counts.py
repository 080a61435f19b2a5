#!/usr/bin/env python3
"""Counts the parameters of configurations by building the models of huggingface/transformers without memory.

Reads config.json texts, one a line, and prints each behind the count, the layers' windows (F, S or C a layer; - where the class
says nothing) and a tab: tests/data/import/hf_config/counted.tsv. Needs torch and transformers; made with transformers 5.24.
"""

import json
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM

LETTER = {"full_attention": "F", "sliding_attention": "S", "chunked_attention": "C"}


def count(settings):
    settings = {"pad_token_id": 0, **settings}
    config = AutoConfig.for_model(settings.pop("model_type"), **settings)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    model.tie_weights()
    once = {id(p): p.numel() for p in model.parameters()}
    # A router's correction is a buffer there, and a parameter in the published checkpoints.
    corrections = sum(b.numel() for name, b in model.named_buffers() if "correction_bias" in name)
    windows = "".join(LETTER.get(kind, "?") for kind in getattr(config, "layer_types", None) or "?")
    return sum(once.values()) + corrections, "-" if "?" in windows else windows


for line in sys.stdin:
    total, windows = count(json.loads(line))
    print(total, windows, line.strip(), sep="\t")
