// SPDX-License-Identifier: Apache-2.0
// std::random_device as a program sees it whose runs are compared: its numbers follow from the time
// of day that the program is told, see relayout/base/program_clock.h. Linked into the program, it
// stands before the function of GCC's C++ library, which is called where no time is given.
#include "relayout/base/program_clock.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

#define RELAYOUT_GETVAL "_ZNSt13random_device9_M_getvalEv" // std::random_device::_M_getval()

namespace {

using DrawFunction = unsigned (*)(void *);

/// One of 2^64 numbers in a row that look random. \source SplitMix64 (Steele, Lea and Flood 2014)
std::uint64_t mixed(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

} // namespace

extern "C" unsigned relayoutDrawFromDevice(void *device) __asm__(RELAYOUT_GETVAL);

extern "C" unsigned relayoutDrawFromDevice(void *device) {
  static std::atomic<std::uint64_t> drawn = 0;
  if (const char *const seconds = std::getenv(relayout::kStartTimeVariable))
    return static_cast<unsigned>(
        mixed((static_cast<std::uint64_t>(std::atoll(seconds)) << 32) + drawn++) >> 32);
  static const auto kReal = reinterpret_cast<DrawFunction>(dlsym(RTLD_NEXT, RELAYOUT_GETVAL));
  return kReal(device);
}
