// Everything of topoplan that needs no XML, YAML or CUDA; includes only.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/host_device.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/core/units.hpp>
