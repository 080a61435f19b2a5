// What else than the topology of a cluster topograph reads and writes: refused by name.
#pragma once

#include <topoplan/import/document.hpp>

namespace topoplan::inline v1::import::detail {

// errors: parse_error for a request to topograph's API and for the record of one node, which say what they are.
inline void refuse_other_topograph_documents(const document_reader& root, const char* expected) {
  if (root.value().kind != document_kind::map) root.refuse(expected);
  if (root.has("provider") || root.has("engine")) {
    root.refuse(expected,
                "a request to topograph, with its provider and engine: it asks for a topology and holds none; what topograph "
                "answers does");
  }
  if (root.has("nodeUID") && root.has("gpus")) {
    root.refuse(
        expected,
        "the GPUs, NICs and rails of one node, as topograph drafts its record: it says nothing of other hosts, and nothing "
        "that `nvidia-smi topo -m` or NCCL's topology file doesn't say of one");
  }
}

}  // namespace topoplan::inline v1::import::detail
