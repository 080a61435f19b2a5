// Megatron-LM's process groups, exactly: what it takes and refuses, every group it creates, and why; includes only.
#pragma once

#include <topoplan/layout/megatron_family.hpp>
#include <topoplan/layout/megatron_groups.hpp>
#include <topoplan/layout/megatron_options.hpp>
#include <topoplan/layout/megatron_words.hpp>
