// Memory that holds pointers, and deep copies into it.
#include <cstdio>

struct Item {
  float x, y;
  int kind;
};
#include "item_layout.h"

struct Scene {
  float light;
  ItemView items;
  ConstItemView shown;
  int count;
};

__global__ void move(ItemView *rows, int rowCount, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rowCount)
    return;
  for (int j = 0; j < length; ++j)
    rows[i].x(j) += rows[i].y();
  ItemView own = rows[i];
  own.kind(i % length) = i;
}

__global__ void shade(Scene *scene, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < scene->count)
    out[i] = scene->light * scene->items.x(i) + scene->shown.kind(i);
}

// Of an array of pointers of the host's.
void fill(ItemView *rows, int count, const Item *host, int length) {
  for (int i = 0; i < count; ++i) {
    itemMalloc(&rows[i], length * sizeof(Item));
    itemMemcpy(rows[i], host, length * sizeof(Item), cudaMemcpyHostToDevice);
  }
}

int main() {
  const int rowCount = 5, length = 70;
  Item host[length];
  for (int i = 0; i < length; ++i) {
    host[i].x = i;
    host[i].y = 0.5f;
    host[i].kind = i % 3;
  }
  ItemView rows[rowCount];
  fill(rows, sizeof(rows) / sizeof(rows[0]), host, length);
  ItemView *onDevice = nullptr;
  cudaMalloc((void **)&onDevice, rowCount * sizeof(ItemView));
  cudaMemcpy(onDevice, rows, sizeof(rows), cudaMemcpyHostToDevice);
  move<<<1, 32>>>(onDevice, rowCount, length);

  Scene scene{0.25f, nullptr, nullptr, length}, *copied;
  cudaMalloc(&copied, sizeof(Scene));
  cudaMemcpy(copied, &scene, sizeof(Scene), cudaMemcpyHostToDevice);
  cudaMemcpy(&copied->items, &rows[1], sizeof(ItemView), cudaMemcpyHostToDevice);
  ConstItemView shown = rows[2];
  cudaMemcpy((void *)&(copied->shown), &shown, sizeof(shown), cudaMemcpyHostToDevice);
  float *out, shades[length];
  cudaMalloc(&out, sizeof(shades));
  shade<<<1, 128>>>(copied, out);
  cudaMemcpy(shades, out, sizeof(shades), cudaMemcpyDeviceToHost);

  itemMemcpy(host, rows[4], length * sizeof(Item), cudaMemcpyDeviceToHost);
  for (int i = 0; i < length; i += 9)
    std::printf("%g %g %d\n", shades[i], host[i].x, host[i].kind);
  for (ItemView row : rows)
    itemFree(row);
  cudaFree(onDevice);
  cudaFree(copied);
  cudaFree(out);
}
