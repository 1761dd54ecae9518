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
install(TARGETS relayout_fmt EXPORT relayout)
target_link_libraries(relayout_fmt INTERFACE
  $<IF:$<BOOL:${RELAYOUT_STATIC_CLANG}>,fmt::fmt-header-only,fmt::fmt>)

# relayout_compile_alone(<file>...): for sources whose unnamed namespaces use a name that others of
# their library use too. Compiled together they would clash; the names stay as they read best.
function(relayout_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# relayout_add_library(<name> SOURCES ...): static library relayout_<name>, alias relayout::<name>.
# Public headers are in include/ beside the caller's CMakeLists.txt, private ones in src/.
function(relayout_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  add_library(relayout_${name} STATIC ${arg_SOURCES})
  add_library(relayout::${name} ALIAS relayout_${name})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*.h)
  target_sources(relayout_${name} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include FILES ${headers})
  file(GLOB_RECURSE tables CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*.def)
  target_sources(relayout_${name} PUBLIC FILE_SET tables TYPE HEADERS
    BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include FILES ${tables})
  set_target_properties(relayout_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(relayout_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(relayout_${name} PRIVATE $<BUILD_INTERFACE:relayout_warnings>)
  target_compile_features(relayout_${name} PUBLIC cxx_std_20)
endfunction()

# relayout_install_library(<name> [FOR_LOWERED_PROGRAMS]): the library and its headers for programs
# that read traces and plans, in the CMake package. Programs lowered for the CPU link some of them:
# those belong to the tool's own component and lie where it looks for its runtime. Each header is
# compiled alone by the target all_verify_interface_header_sets.
function(relayout_install_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FOR_LOWERED_PROGRAMS" "" "")
  set(archive DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT relayout-dev)
  if(arg_FOR_LOWERED_PROGRAMS)
    set(archive DESTINATION ${CMAKE_INSTALL_LIBDIR}/relayout COMPONENT relayout)
  endif()
  set_target_properties(relayout_${name} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON
    INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  install(TARGETS relayout_${name} EXPORT relayout
    ARCHIVE ${archive}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT relayout-dev
    FILE_SET tables DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT relayout-dev)
endfunction()
