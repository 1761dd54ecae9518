// Class templates whose instances are for records that are defined behind them.
// clang-format off
#include <cstdio>

template <class Key> struct Entry {
  Key key;
  double value;
  int next;
};
template <class T> struct Table {
  T *entries;
  int count;
};
template <class T> __global__ void bump(Table<T> table) {
  int i = threadIdx.x;
  if (i < table.count) {
    table.entries.next(i) += i;
    table.entries.key(i).hash ^= 3;
  }
}

struct Name { unsigned hash; };
#include "entry_name_layout.h"

template <> struct Table<Entry<Name>> {
  EntryNameView entries;
  int count;
};
using Row = Entry<Name>;

__global__ void raise(EntryNameView rows, int n) {
  int i = threadIdx.x;
  if (i < n) rows.value(i) *= 1.5;
}

int main() {
  const int n = 64;
  Row host[n];
  EntryNameView rows;
  for (int i = 0; i < n; ++i) host[i] = {{unsigned(i)}, 2.0 * i, 1};
  entryNameMalloc(&rows, sizeof host);
  entryNameMemcpy(rows, host, sizeof host, cudaMemcpyHostToDevice);
  bump<<<1, n>>>(Table<Row>{rows, n});
  raise<<<1, n>>>(rows, n);
  entryNameMemcpy(host, rows, sizeof host, cudaMemcpyDeviceToHost);
  printf("%u %g %d\n", host[5].key.hash, host[7].value, host[9].next);
  entryNameFree(rows);
}
