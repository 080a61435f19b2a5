// A kernel that looks ranks up in a rank map. Compiling it is the test where there is no GPU; with one, it also runs.
#include <topoplan/rank_map/rank_map.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

using namespace topoplan;

static_assert(std::is_trivially_copyable_v<rank_map_view>, "a view is passed to kernels by value");

namespace {

struct answer {
  std::uint32_t host, gpu, local_rank, domain, next_on_host;
  coordinate at;
};

__host__ __device__ answer look_up(const rank_map_view& map, rank_id r) {
  const rank_list mine = map.ranks_on(map.host_of(r));
  const std::size_t next = (map.local_rank_of(r) + 1) % mine.size();
  return {map.host_of(r).value, map.gpu_of(r), map.local_rank_of(r), map.domain_of(r).value, mine[next].value, map.coordinate(r)};
}

__global__ void look_up_all(rank_map_view map, answer* out) {
  const std::uint32_t r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < map.world()) out[r] = look_up(map, rank_id{r});
}

bool equal(const answer& a, const answer& b) {
  return a.host == b.host && a.gpu == b.gpu && a.local_rank == b.local_rank && a.domain == b.domain &&
         a.next_on_host == b.next_on_host && a.at == b.at;
}

rank_map example() {
  constexpr std::uint32_t hosts = 12;
  constexpr std::uint32_t per_host = 4;
  std::vector<std::string> names;
  rank_columns c;
  for (std::uint32_t h = 0; h < hosts; ++h) names.push_back("tray-" + std::to_string(h * 5 % hosts));
  for (std::uint32_t r = 0; r < hosts * per_host; ++r) {
    c.host.push_back(r / per_host);
    c.gpu.push_back(static_cast<std::uint16_t>(per_host - 1 - r % per_host));
    c.domain.push_back(r / 24);
  }
  return rank_map(
      layout(resolve({.tp = 4, .cp = 1, .ep = 2, .expert_tp = 2, .dp = 4, .pp = 3}, hosts * per_host), orders::megatron), names,
      c);
}

}  // namespace

int main() {
  const rank_map map = example();
  std::vector<answer> on_host;
  for (std::uint32_t r = 0; r < map.world(); ++r) {
    on_host.push_back(look_up(map, rank_id{r}));
    const answer expected{r / 4, 3 - r % 4, r % 4, r / 24, r / 4 * 4 + (r + 1) % 4, map.layout().coordinate(rank_id{r})};
    if (!equal(on_host.back(), expected)) {
      std::printf("rank %u: wrong on the host\n", r);
      return 1;
    }
  }

  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    std::puts("no GPU: the kernel was compiled and not run");
    return 77;
  }
  void* image = nullptr;
  answer* answers = nullptr;
  const std::size_t bytes = on_host.size() * sizeof(answer);
  if (cudaMalloc(&image, map.image().size()) != cudaSuccess || cudaMalloc(&answers, bytes) != cudaSuccess) return 1;
  cudaMemcpy(image, map.image().data(), map.image().size(), cudaMemcpyHostToDevice);
  look_up_all<<<1, 64>>>(map.rebased(image), answers);
  std::vector<answer> on_gpu(on_host.size());
  if (cudaMemcpy(on_gpu.data(), answers, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (std::size_t r = 0; r < on_host.size(); ++r) {
    if (!equal(on_host[r], on_gpu[r])) {
      std::printf("rank %zu: the kernel read something else than the host\n", r);
      return 1;
    }
  }
  std::printf("%zu ranks looked up in a kernel\n", on_host.size());
  return 0;
}
