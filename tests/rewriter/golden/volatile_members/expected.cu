// Members that are volatile: every access stays one, and copies of elements copy them.
#include <cstdio>

struct Slot {
  volatile int head, tail;
  volatile unsigned state[2];
  float value;
  int *volatile owner;
};
#include "slot_layout.h"

__device__ int backlogOf(ConstSlotView slot) { return slot.head() - slot.tail(); }

__global__ void advance(SlotView slots, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Slot before = slots.load(i);
  slots.head(i) = before.tail + 7;
  slots.state(i)[1] = slots.state(i)[0] + 1;
  volatile int *tail = &slots.tail(i);
  *tail = *tail + 1;
  atomicAdd((int *)&slots.tail(i), 2);
  SlotView mine = slots + i;
  mine.value() += backlogOf(mine) * mine.state()[1];
  mine.owner() = nullptr;
}

__global__ void publish(SlotView to, ConstSlotView from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to.store(n - 1 - i, from.load(i));
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
  SlotView slots, published;
  slotMalloc(&slots, sizeof(host));
  slotMalloc(&published, sizeof(host));
  slotMemcpy(slots, host, sizeof(host), cudaMemcpyHostToDevice);
  advance<<<3, 32>>>(slots, n);
  publish<<<3, 32>>>(published, slots, n);
  slotMemcpy(host, published, sizeof(host), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Slot &slot : host)
    sum += slot.value + slot.head;
  std::printf("%g\n", sum);
  slotFree(slots);
  slotFree(published);
}
