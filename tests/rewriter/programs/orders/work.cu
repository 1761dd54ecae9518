// Reads the templates first.
#include "gpu.cuh"
#include "types.h"

using namespace gpu;

__global__ void relax(model::Node *nodes, const Link *links, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    nodes[links[i].a].x += links[i].strength * nodes[links[i].b].y;
}

float work(std::vector<model::Node> &nodes, std::vector<Link> &links) {
  model::Node *n = gpu::make(nodes);
  Link *l = make<Link>(links);
  relax<<<1, 64>>>(n, l, int(links.size()));
  gpu::scale<model::Node><<<1, 64>>>(n, 2.f, int(nodes.size()));
  scale<<<1, 64>>>(l, 3.f, int(links.size()));
  gpu::memory::download(nodes, n);
  memory::download(links, l);
  gpu::memory::release(n);
  memory::release(l);
  return nodes[1].x + links[1].x;
}
