// The one place that knows how a function is marked callable from a CUDA kernel.
#pragma once

#if defined(__CUDACC__)
#define TOPOPLAN_HOST_DEVICE __host__ __device__
#else
#define TOPOPLAN_HOST_DEVICE
#endif
