// Segment soa
// A whole element would be copied by device code, which has no copy constructor.
struct Segment { // refused: RL-R01
  float x, y;
  int id;
  Segment() : x(0), y(0), id(0) {}
  Segment(const Segment &other) : x(other.x), y(other.y), id(other.id) {}
};

__device__ float length(const Segment &segment) { return segment.x * segment.x; }

__global__ void measure(const Segment *segments, float *lengths) {
  lengths[threadIdx.x] = length(segments[threadIdx.x]);
}

int main() {
  Segment *segments;
  float *lengths, found[64];
  cudaMalloc(&segments, 64 * sizeof(Segment));
  cudaMalloc(&lengths, sizeof found);
  measure<<<1, 64>>>(segments, lengths);
  cudaMemcpy(found, lengths, sizeof found, cudaMemcpyDeviceToHost);
}
