// SPDX-License-Identifier: Apache-2.0
// A libcupti.so that forbids counters as the driver does for users without the right, for machines
// whose driver permits everybody. All else is the real library's, which REAL_CUPTI names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

enum { kInsufficientPrivileges = 35 }; // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES

#define FORWARD(name)                                                                              \
  __attribute__((visibility("hidden"))) void *real_##name;                                         \
  __attribute__((naked)) void name(void) { __asm__("jmp *real_" #name "(%rip)"); }
#define FORBID(name)                                                                               \
  int name(void *words) {                                                                          \
    (void)words;                                                                                   \
    return kInsufficientPrivileges;                                                                \
  }
#define FIND(name) real_##name = dlsym(library, #name);

#include "cupti_calls.inc" // FORWARDED(X), FORBIDDEN(X): counters.py makes it

FORWARDED(FORWARD)
FORBIDDEN(FORBID)

__attribute__((constructor)) static void openRealLibrary(void) {
  void *const library = dlopen(getenv("REAL_CUPTI"), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    abort();
  FORWARDED(FIND)
}
