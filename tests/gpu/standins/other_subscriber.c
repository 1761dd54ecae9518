// SPDX-License-Identifier: Apache-2.0
// Preloaded: holds the one place that CUPTI has for a subscriber, as a profiler in the process
// does.
#include <dlfcn.h>
#include <stdlib.h>

typedef void (*Callback)(void *, int, unsigned, const void *);
typedef int (*Subscribe)(void **, Callback, void *);

static void called(void *user, int domain, unsigned call, const void *words) {
  (void)user, (void)domain, (void)call, (void)words;
}

__attribute__((constructor)) static void subscribe(void) {
  void *const library = dlopen(getenv("REAL_CUPTI"), RTLD_NOW);
  void *subscriber = NULL;
  if (library == NULL ||
      ((Subscribe)dlsym(library, "cuptiSubscribe"))(&subscriber, called, NULL) != 0)
    abort();
}
