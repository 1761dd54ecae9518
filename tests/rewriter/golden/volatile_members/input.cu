// Members that are volatile: every access stays one, and copies of elements copy them.
#include <cstdio>

struct Slot {
  volatile int head, tail;
  volatile unsigned state[2];
  float value;
  int *volatile owner;
};

__device__ int backlogOf(const Slot *slot) { return slot->head - slot->tail; }

__global__ void advance(Slot *slots, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Slot before = slots[i];
  slots[i].head = before.tail + 7;
  slots[i].state[1] = slots[i].state[0] + 1;
  volatile int *tail = &slots[i].tail;
  *tail = *tail + 1;
  atomicAdd((int *)&slots[i].tail, 2);
  Slot *mine = slots + i;
  mine->value += backlogOf(mine) * mine->state[1];
  mine->owner = nullptr;
}

__global__ void publish(Slot *to, const Slot *from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[n - 1 - i] = from[i];
}

int main() {
  const int n = 96;
  Slot host[n];
  for (int i = 0; i < n; ++i) {
    host[i].head = 3 * i;
    host[i].tail = i;
    host[i].state[0] = i % 5;
    host[i].state[1] = 1;
    host[i].value = 0.5f * i;
    host[i].owner = nullptr;
  }
  Slot *slots, *published;
  cudaMalloc(&slots, sizeof(host));
  cudaMalloc(&published, sizeof(host));
  cudaMemcpy(slots, host, sizeof(host), cudaMemcpyHostToDevice);
  advance<<<3, 32>>>(slots, n);
  publish<<<3, 32>>>(published, slots, n);
  cudaMemcpy(host, published, sizeof(host), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Slot &slot : host)
    sum += slot.value + slot.head;
  std::printf("%g\n", sum);
  cudaFree(slots);
  cudaFree(published);
}
