#pragma once
#include <cuda_runtime.h>

void shift(float4 *points, const float4 *by, int n);
