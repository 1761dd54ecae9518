// Containers of device pointers.
// clang-format off
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

struct Particle {
  float x, v;
  int id;
};

__global__ void step(const Particle *from, Particle *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    to[i].x = from[i].x + from[i].v;
    to[i].v = 0.5f * from[i].v;
    to[i].id = from[i].id;
  }
}

__global__ void gather(Particle **parts, float *out, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; i < n && k < count; ++k)
    out[i] += parts[k][i].x * parts[k][i].id;
}

class Fields {
public:
  explicit Fields(int count) : parts_(count), spares_{nullptr, nullptr} {}
  Fields(const Fields &) = delete;

  void allocate(int n) {
    for (auto &part : parts_)
      cudaMalloc(&part, n * sizeof(Particle));
    for (std::size_t k = 0; k < spares_.size(); ++k)
      cudaMalloc((void **)&spares_[k], n * sizeof(Particle));
  }

  void release() {
    for (Particle *part : parts_)
      cudaFree(part);
    for (auto *spare : spares_)
      cudaFree(spare);
    parts_.clear();
  }

  Particle *part(int k) const { return parts_.at(k); }
  std::vector<Particle *> &parts() { return parts_; }
  const std::vector<Particle *> &all() const { return parts_; }

  void flip() { std::swap(spares_[0], spares_[1]); }
  void keep(int k) { spares_.front() = parts_[k]; }
  Particle *spare() { return spares_.back(); }

private:
  std::vector<Particle *> parts_;
  std::array<Particle *, 2> spares_;
};

void fill(const std::vector<Particle *> &parts, const Particle *host, int n) {
  for (Particle *const part : parts)
    cudaMemcpy(part, host, n * sizeof(Particle), cudaMemcpyHostToDevice);
}

void launch(std::vector<const Particle *> from, std::array<Particle *, 2> &to, int n) {
  for (std::size_t k = 0; k < from.size(); ++k)
    step<<<(n + 127) / 128, 128>>>(from[k], to[k % 2], n);
}

float sumOf(const std::vector<Particle *> &parts, int n) {
  Particle **table;
  float *out, found[300];
  cudaMalloc(&table, parts.size() * sizeof(Particle *));
  cudaMemcpy(table, parts.data(), parts.size() * sizeof(Particle *), cudaMemcpyHostToDevice);
  cudaMemcpy(table, &parts[0], sizeof(parts[0]) * parts.size(), cudaMemcpyHostToDevice);
  cudaMalloc(&out, sizeof(found));
  cudaMemset(out, 0, sizeof(found));
  gather<<<(n + 127) / 128, 128>>>(table, out, (int)parts.size(), n);
  cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost);
  cudaFree(table);
  cudaFree(out);
  return found[n / 2];
}

std::vector<Particle *> halves(Particle *all, int n) {
  std::vector<Particle *> parts = {all, all + n / 2};
  return parts;
}

int main(int argc, char **) {
  const int n = 300, count = argc + 2;
  Particle host[n];
  std::vector<Particle *> pieces(count), onHost(2, host); // the latter stays
  for (int i = 0; i < n; ++i)
    onHost[i % 2][i] = {i * 0.25f, 1, i % 7};

  std::array<Particle *, 2> buffers;
  cudaMalloc(&buffers[0], n * sizeof(Particle));
  cudaMalloc(&buffers[1], n * sizeof(Particle));
  cudaMemcpy(buffers[0], host, n * sizeof(Particle), cudaMemcpyHostToDevice);
  int current = 0;
  for (int t = 0; t < 3; ++t) {
    step<<<(n + 127) / 128, 128>>>(buffers[current], buffers[1 - current], n);
    current = 1 - current;
  }
  std::swap(buffers[0], buffers[1]);

  Particle *all;
  cudaMalloc(&all, count * n * sizeof(Particle));
  for (int k = 0; k < count; ++k) {
    pieces[k] = all + k * n;
    cudaMemcpy(pieces[k], host, n * sizeof(Particle), cudaMemcpyHostToDevice);
  }
  Particle *last = pieces.empty() ? nullptr : pieces.back();
  step<<<(n + 127) / 128, 128>>>(last, pieces[0], n);

  std::vector<const Particle *> sources;
  sources.reserve(2);
  sources.push_back(buffers[0]);
  sources.emplace_back(pieces[1]);
  Fields fields(count);
  fields.allocate(n);
  fill(fields.parts(), host, n);
  fields.flip();
  std::array<Particle *, 2> targets{fields.spare(), fields.part(1)};
  launch(sources, targets, n);
  auto &parts = fields.parts();
  parts.resize(count + 1, nullptr);
  cudaMalloc((void **)&parts.back(), n * sizeof(Particle));
  cudaMemcpy(parts[count], host, n * sizeof(Particle), cudaMemcpyHostToDevice);

  auto both = halves(all, n);
  both.swap(pieces);
  pieces = std::move(both);
  std::vector<Particle *> copies = fields.all();
  std::printf("%g %g\n", sumOf(copies, n), sumOf(pieces, n));
  cudaMemcpy(host, targets[1], n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[9].x, host[11].id);
  fields.release();
  for (const auto &buffer : buffers)
    cudaFree(buffer);
  cudaFree(all);
}
