// SPDX-License-Identifier: Apache-2.0
// Copies records from the device. Arguments: what fills their padding, the value of the last one,
// and whether the program says what is padding.
#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" {
int cudaMemcpy(void *to, const void *from, std::size_t bytes, int kind);
int cudaMemcpy2D(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                 std::size_t width, std::size_t height, int kind);
void relayoutNoteRecord(unsigned recordBytes, const char *padding);
}

namespace {

struct Record {
  int value;
  char flag; // 3 bytes of padding behind it
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const bool says = std::strcmp(argv[3], "says") == 0;
  const auto say = [says] {
    if (says)
      relayoutNoteRecord(sizeof(Record), "5:3");
  };
  constexpr int kRecords = 100, kToDevice = 1, kToHost = 2;
  Record device[kRecords], host[kRecords];
  std::memset(static_cast<void *>(device), std::atoi(argv[1]), sizeof device);
  for (int i = 0; i < kRecords; ++i) {
    device[i].value = i;
    device[i].flag = 1;
  }
  device[kRecords - 1].value = std::atoi(argv[2]);
  say();
  cudaMemcpy(host, device, sizeof host, kToHost);
  say();
  cudaMemcpy2D(host, 2 * sizeof(Record), device, 2 * sizeof(Record), sizeof(Record), kRecords / 2,
               kToHost);
  say(); // of a copy that is not noted
  cudaMemcpy(device, host, sizeof(Record), kToDevice);
  cudaMemcpy(host, device, sizeof(Record), kToHost);
  return 0;
}
