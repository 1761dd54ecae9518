#pragma once
#include "fish.h"
#include <thrust/device_vector.h>

void swim(thrust::device_vector<Fish> &fish, float by);
