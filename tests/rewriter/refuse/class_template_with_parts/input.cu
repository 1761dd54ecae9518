// R soa
struct R {
  float x, y;
};

template <class T> struct Friendly {
  T *p; // refused: RL-R07
  template <class U> friend int count(const Friendly<U> &);
};

template <class T> struct Counted {
  T *p; // refused: RL-R07
  static int count;
};

template <class T> struct Apart {
  T *p; // refused: RL-R07
  void set(float *x);
};
template <class T> void Apart<T>::set(float *x) { *x = 1; }

template <class T> struct Open {
  T *p; // refused: RL-R07
  template <class U> void set(U, T) {}
};

template <class T> struct Chained {
  T *p;     // refused: RL-R07
  T *q = p; // refused: RL-R07
};

template <class T> struct Virtual {
  T *p; // refused: RL-R07
  virtual void set() {}
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  Friendly<R> friendly = {p};
  Counted<R> counted = {p};
  Apart<R> apart = {p};
  Open<R> open = {p};
  Chained<R> chained = {p};
  Virtual<R> virtually;
  virtually.p = p;
  k<<<1, 1>>>(friendly.p);
}
