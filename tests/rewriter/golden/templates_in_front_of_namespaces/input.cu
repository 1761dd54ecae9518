// Templates of no namespace, for records of one that goes on behind them.
// clang-format off
#include <cstdio>
#include <vector>

template <class T> class Buffer {
public:
  explicit Buffer(std::size_t n) : size_(n) { cudaMalloc(reinterpret_cast<void **>(&data_), n * sizeof(T)); }
  ~Buffer() { cudaFree(data_); }
  void upload(const std::vector<T> &v) { cudaMemcpy(data_, v.data(), size_ * sizeof(T), cudaMemcpyHostToDevice); }
  void download(std::vector<T> &v) const { cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost); }
  T *data() { return data_; }
private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};
template <class T> void clear(T *data, std::size_t n) { cudaMemset(data, 0, n * sizeof(T)); }

namespace model {
namespace {
struct Cell { float v; int spikes; };
struct Link { int from; float weight; };
float scale(float x) { return 2 * x; }
} // namespace
__global__ void step(Cell *cells, const Link *links, int n) {
  int i = threadIdx.x;
  if (i < n) {
    cells[i].v += links[i].weight;
    cells[i].spikes += links[i].from;
  }
}
} // namespace model

namespace model {
void run() {
  const int n = 64;
  std::vector<Cell> cells(n);
  std::vector<Link> links(n);
  for (int i = 0; i < n; ++i) links[i] = {i, scale(0.5f * i)};
  Buffer<Cell> a(n);
  Buffer<Link> b(n);
  clear(a.data(), n);
  b.upload(links);
  step<<<1, n>>>(a.data(), b.data(), n);
  a.download(cells);
  printf("%g %d\n", cells[7].v, cells[9].spikes);
}
} // namespace model

int main() { model::run(); }
