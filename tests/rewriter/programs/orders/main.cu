// Reads the records first.
#include "types.h"

#include "gpu.cuh"

#include <cstdio>

float work(std::vector<model::Node> &nodes, std::vector<Link> &links);

namespace gpu {
void twice(std::vector<Link> &links) {
  Link *device = memory::allocate<Link>(links.size());
  memory::upload(device, links);
  scale<<<1, 64>>>(device, 2.f, int(links.size()));
  memory::download(links, device);
  memory::release(device);
}
} // namespace gpu

int main() {
  std::vector<model::Node> nodes(64);
  std::vector<Link> links(63);
  for (int i = 0; i < 64; ++i)
    nodes[i] = {1.f * i, 2, 3, i, 0.5};
  for (int i = 0; i < 63; ++i)
    links[i] = {i, i + 1, 1.f, 0.1f};
  gpu::twice(links);
  std::printf("%g\n", work(nodes, links));
}
