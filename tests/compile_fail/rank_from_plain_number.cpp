// error: conversion from .int. to non-scalar type|no viable conversion from .int.
#include <topoplan/core/ids.hpp>

using namespace topoplan;

constexpr rank_id rank{3};

#ifndef TOPOPLAN_COMPILES
constexpr rank_id wrong = 3;
#endif
