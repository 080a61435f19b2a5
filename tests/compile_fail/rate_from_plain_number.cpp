// error: conversion from .double. to non-scalar type|no viable conversion from .double.
#include <topoplan/core/units.hpp>

using namespace topoplan;

constexpr bytes_per_second rate = gigabits_per_second(400);

#ifndef TOPOPLAN_COMPILES
constexpr bytes_per_second wrong = 400e9;
#endif
