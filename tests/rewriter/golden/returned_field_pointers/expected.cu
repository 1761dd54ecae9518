// Functions that return the address of an element of an array in a field.
// clang-format off
#include <cstdio>
#include <vector>

struct Vehicle {
  int id;
  float speed;
};
struct Ring {
  unsigned head, tail;
  Vehicle slot[8];
};
struct Link {
  int from, to;
  Ring queue;
  float length;
  double load;
};
#include "link_layout.h"

__device__ Vehicle *front(Ring *r) { return &r->slot[r->head & 7]; }
static __device__ void push(Ring *r, const Vehicle *v) { r->slot[r->tail++ & 7] = *v; }
__device__ Vehicle *slotOf(LinkView links, int i, int k) { return &links.queue(i).slot[k]; }

__global__ void advance(LinkView links, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Ring *queue = &links.queue(i);
  if (queue->tail - queue->head < 6) {
    Vehicle v = {i, 0.5f * i};
    push(queue, &v);
  }
  Vehicle *first = front(queue);
  first->speed += 1;
  links.load(i) += first->speed + slotOf(links, i, 3)->id;
  front(&links.queue(i))->id += links.to(i);
  if (first->speed > 4)
    ++queue->head;
  links.length(i) *= 0.5f;
}

int main() {
  const int n = 300;
  std::vector<Link> host(n);
  for (int i = 0; i < n; ++i) {
    host[i] = {};
    host[i].from = i;
    host[i].to = (i + 1) % n;
    host[i].length = i % 9;
  }
  LinkView links;
  linkMalloc(&links, n * sizeof(Link));
  linkMemcpy(links, host.data(), n * sizeof(Link), cudaMemcpyHostToDevice);
  for (int t = 0; t < 9; ++t)
    advance<<<(n + 63) / 64, 64>>>(links, n);
  linkMemcpy(host.data(), links, n * sizeof(Link), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Link &link : host)
    sum += link.load + link.length + link.queue.head + link.queue.slot[1].id;
  std::printf("%g\n", sum);
}
