#pragma once
#include "array.cuh"
#include <cuda_runtime.h>
__global__ void force(Array2D<float4> f, int n);
__global__ void sum(const Array2D<float4> f, float *out, int n);
