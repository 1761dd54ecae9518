// SPDX-License-Identifier: Apache-2.0
// Prints the time of day, in seconds, that it, a library and one with a name of CUDA's are told.
#include <cstdio>
#include <ctime>

extern "C" {
long long secondsOfOther();
long long secondsOfCupti();
}

int main() {
  const auto own = static_cast<long long>(std::time(nullptr));
  std::printf("%lld %lld %lld\n", own, secondsOfOther(), secondsOfCupti());
}
