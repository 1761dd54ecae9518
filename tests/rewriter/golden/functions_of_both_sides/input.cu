// Host functions that are called with managed arrays and with the host's own memory.
#include <cstdio>
#include <vector>

struct Color {
  float red, green, blue;
};

static inline float luminance(const Color *image, int at) {
  return 0.3f * image[at].red + 0.6f * image[at].green + 0.1f * image[at].blue;
}

float brightest(const Color *image, int count); // is called before it is defined

// Passes on what it is given.
void print(const char *name, const Color *image, int count) {
  std::printf("%s: %g %g\n", name, brightest(image, count), luminance(image, 0));
}

float brightest(const Color *image, int count) {
  float found = 0;
  for (const Color *one = image; one != image + count; ++one)
    found = luminance(one, 0) > found ? luminance(one, 0) : found;
  return found;
}

#define ON_BOTH_SIDES __host__ __device__ inline

// For kernels, and for the host.
ON_BOTH_SIDES float distance(const Color *a, const Color *b) {
  return (a->red - b->red) * (a->red - b->red) + (a->blue - b->blue) * (a->blue - b->blue);
}

__host__ __device__ int nearest(const Color *image, int count, int to) {
  int best = to == 0;
  for (int i = 0; i < count; ++i)
    if (i != to && distance(&image[i], &image[to]) < distance(&image[best], &image[to]))
      best = i;
  return best;
}

namespace images {

/* Walks. */
void fill(Color *image, int count, float step = 0.25f) {
  for (int i = 0; i < count; ++i, ++image) {
    image->red = i * step;
    image->green = 1;
    image->blue = i % 7;
  }
}

} // namespace images

// Has an array of its own, which is always the host's.
int differences(const Color *image, const std::vector<Color> &expected) {
  int found = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    found += image[i].red != expected[i].red;
  print("expected", expected.data(), (int)expected.size());
  return found;
}

__global__ void brighten(Color *image, int count, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    image[i].red += by * image[i].green;
}

__global__ void match(const Color *image, int *matches, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    matches[i] = nearest(image, count, i);
}

int main() {
  const int count = 300;
  Color *shown;
  cudaMallocManaged(&shown, count * sizeof(Color));
  std::vector<Color> expected(count);
  images::fill(shown, count);
  images::fill(expected.data(), count);
  brighten<<<3, 128>>>(shown, count, 0.5f);
  cudaDeviceSynchronize();
  for (Color &color : expected)
    color.red += 0.5f * color.green;
  print("shown", shown, count);
  print("first", expected.data(), 1);
  std::printf("%d differ, %g\n", differences(shown, expected), luminance(shown, 7));
  int *matches, matched[count], differing = 0;
  cudaMalloc(&matches, sizeof(matched));
  match<<<3, 128>>>(shown, matches, count);
  cudaMemcpy(matched, matches, sizeof(matched), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i)
    differing += matched[i] != nearest(expected.data(), count, i);
  std::printf("%d match others\n", differing);
  cudaFree(shown);
}
