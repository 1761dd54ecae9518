# Finds LLVM and Clang 22 as Debian packages them, and defines relayout_clang, the interface that
# Clang-facing libraries link. Clang's own config has no version file, hence the explicit folder.
set(RELAYOUT_LLVM_PREFIX /usr/lib/llvm-22 CACHE PATH "Where LLVM and Clang are installed")
set(RELAYOUT_CLANG_FOUND FALSE)

find_package(LLVM 22 CONFIG QUIET HINTS ${RELAYOUT_LLVM_PREFIX}/lib/cmake/llvm NO_DEFAULT_PATH)
find_package(Clang CONFIG QUIET HINTS ${RELAYOUT_LLVM_PREFIX}/lib/cmake/clang NO_DEFAULT_PATH)
if(NOT LLVM_FOUND OR NOT Clang_FOUND)
  message(STATUS "Clang 22 not found below ${RELAYOUT_LLVM_PREFIX}: "
                 "building runtime and analysis only")
  return()
endif()
set(RELAYOUT_CLANG_FOUND TRUE)

add_library(relayout_clang INTERFACE)
target_include_directories(relayout_clang SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS}
                                                           ${CLANG_INCLUDE_DIRS})
target_compile_options(relayout_clang INTERFACE -fno-rtti)
target_link_libraries(relayout_clang INTERFACE clang-cpp LLVM)
target_compile_definitions(relayout_clang INTERFACE
  RELAYOUT_CLANG_RESOURCE_DIR="${RELAYOUT_LLVM_PREFIX}/lib/clang/22")
