// error: could not convert|conversion from .* to non-scalar type|no viable conversion
#include <topoplan/core/ids.hpp>

using namespace topoplan;

constexpr rank_id rank = rank_id{3};

#ifndef TOPOPLAN_COMPILES
constexpr rank_id wrong = gpu_id{3};
#endif
