#include "tokens.h"

__global__ void evaluate(const Token *tokens, int count, double *results) {
  results[threadIdx.x] = Formula::evaluate(tokens, count, 0.5 * threadIdx.x);
}

double onDevice(const Token *tokens, int count) {
  Token *copy = nullptr;
  double *results = nullptr, host[32], sum = 0;
  cudaMalloc(&copy, count * sizeof(Token));
  cudaMalloc(&results, sizeof host);
  cudaMemcpy(copy, tokens, count * sizeof(Token), cudaMemcpyHostToDevice);
  evaluate<<<1, 32>>>(copy, count, results);
  cudaMemcpy(host, results, sizeof host, cudaMemcpyDeviceToHost);
  for (double value : host)
    sum += value;
  cudaFree(copy);
  cudaFree(results);
  return sum;
}
