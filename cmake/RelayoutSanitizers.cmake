# Sanitizers for everything that is built here. An instrumented archive links into instrumented
# programs only, so lowered programs are compiled with the same flags, by a wrapper around Clang.
set(RELAYOUT_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them: address,undefined")
set(RELAYOUT_HOST_COMPILER ${RELAYOUT_LLVM_PREFIX}/bin/clang++)
set(RELAYOUT_LOWERED_COMPILERS ${RELAYOUT_HOST_COMPILER} ${CMAKE_CXX_COMPILER})
set(RELAYOUT_TEST_ENVIRONMENT "")
if(RELAYOUT_SANITIZE)
  set(flags -fsanitize=${RELAYOUT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(RELAYOUT_SANITIZE MATCHES "undefined")
    # LLVM is built without the run-time type information that this check reads.
    list(APPEND flags -fno-sanitize=vptr)
  endif()
  add_compile_options(${flags})
  add_link_options(${flags})
  list(JOIN flags " " flags)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/sanitized-clang++
       CONTENT "#!/bin/sh\nexec ${RELAYOUT_HOST_COMPILER} ${flags} \"$@\"\n")
  file(CHMOD ${CMAKE_BINARY_DIR}/sanitized-clang++
       PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                   WORLD_READ WORLD_EXECUTE)
  set(RELAYOUT_HOST_COMPILER ${CMAKE_BINARY_DIR}/sanitized-clang++)
  set(RELAYOUT_LOWERED_COMPILERS ${RELAYOUT_HOST_COMPILER})
  # Signals and their stacks are the executor's, which reports what a kernel did; tests hold it to it.
  set(signals handle_segv=0:handle_sigbus=0:handle_abort=0:use_sigaltstack=0)
  if(RELAYOUT_SANITIZE MATCHES "thread")
    set(RELAYOUT_TEST_ENVIRONMENT ENVIRONMENT TSAN_OPTIONS=${signals})
  else()
    set(RELAYOUT_TEST_ENVIRONMENT ENVIRONMENT ASAN_OPTIONS=${signals})
  endif()
endif()
list(JOIN RELAYOUT_LOWERED_COMPILERS " " RELAYOUT_LOWERED_COMPILERS)

# A library that is loaded into programs which have no sanitizer.
function(relayout_never_sanitize target)
  if(RELAYOUT_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
    target_link_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endfunction()
