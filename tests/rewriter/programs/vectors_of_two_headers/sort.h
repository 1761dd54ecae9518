#pragma once
#include "fish.h"
#include <thrust/device_vector.h>

void sortByAge(thrust::device_vector<Fish> &fish);
