// Copy functions that are written out: through accessors, and element by element.
#include <cstdio>
#include <vector>

class Colour {
public:
  __host__ __device__ Colour() : r_(0), g_(0) {}
  __host__ __device__ Colour(float r, float g) : r_(r), g_(g) {}
  __host__ __device__ Colour(const Colour &other) : r_(other.r()), g_(other.g()) {}
  __host__ __device__ Colour &operator=(const Colour &other) {
    r_ = other.r();
    g_ = other.g();
    return *this;
  }
  __host__ __device__ float r() const { return r_; }
  __host__ __device__ const float &g() const { return g_; }

private:
  float r_, g_;
};

struct Stop {
  int x, y;
  __host__ __device__ Stop &operator=(const Stop &other) {
    x = other.x;
    y = other.y;
    return *this;
  }
};

struct Tour {
  Stop stops[3];
  float length;
  __host__ __device__ Tour &operator=(const Tour &other) {
    for (int i = 0; i < 3; ++i) {
      stops[i] = other.stops[i];
    }
    length = other.length;
    return *this;
  }
};

__global__ void mix(Colour *colours, Tour *tours, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 >= n)
    return;
  const Colour next = colours[i + 1];
  colours[i] = Colour(colours[i].r() + next.g(), next.r());
  Tour tour;
  tour = tours[i];
  tour.length += tour.stops[1].x - tour.stops[2].y;
  tours[i] = tour;
}

int main() {
  const int n = 40;
  std::vector<Colour> colours(n, Colour(1, 2));
  std::vector<Tour> tours(n, Tour{{{1, 2}, {3, 4}, {5, 6}}, 7});
  Colour *deviceColours;
  Tour *deviceTours;
  cudaMalloc(&deviceColours, n * sizeof(Colour));
  cudaMalloc(&deviceTours, n * sizeof(Tour));
  cudaMemcpy(deviceColours, colours.data(), n * sizeof(Colour), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceTours, tours.data(), n * sizeof(Tour), cudaMemcpyHostToDevice);
  mix<<<1, 64>>>(deviceColours, deviceTours, n);
  cudaMemcpy(colours.data(), deviceColours, n * sizeof(Colour), cudaMemcpyDeviceToHost);
  cudaMemcpy(tours.data(), deviceTours, n * sizeof(Tour), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", colours[3].r(), tours[3].length);
  cudaFree(deviceColours);
  cudaFree(deviceTours);
}
