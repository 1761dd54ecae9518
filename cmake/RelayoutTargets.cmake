# The compile options and the library helper that every folder shares.

add_library(relayout_warnings INTERFACE)
# Joined files shadow each other's names.
target_compile_options(relayout_warnings INTERFACE
  -Wall -Wextra $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow> -Wno-unused-parameter)
target_compile_features(relayout_warnings INTERFACE cxx_std_20)

# Code that runs once a source file is compiled for a short build, not for speed: half the build
# time, and a stage still takes less than Clang's own parse.
set(RELAYOUT_FRONTEND_OPTIMIZATION $<$<CONFIG:Release>:-O1>)

# fmt for the tool and the libraries behind it: the shared library, as its headers alone cost three
# seconds a file; but nothing that a compute node may lack. What programs lowered for the CPU link
# (runtime/) has fmt inside.
add_library(relayout_fmt INTERFACE)
target_link_libraries(relayout_fmt INTERFACE
  $<IF:$<BOOL:${RELAYOUT_STATIC_CLANG}>,fmt::fmt-header-only,fmt::fmt>)

# relayout_add_library(<name> SOURCES ...): static library relayout_<name>, alias relayout::<name>.
# Public headers are in include/ beside the caller's CMakeLists.txt, private ones in src/.
function(relayout_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  add_library(relayout_${name} STATIC ${arg_SOURCES})
  add_library(relayout::${name} ALIAS relayout_${name})
  target_include_directories(relayout_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(relayout_${name} PRIVATE relayout_warnings)
  target_compile_features(relayout_${name} PUBLIC cxx_std_20)
endfunction()
