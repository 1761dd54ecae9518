# Finds LLVM and Clang as Debian packages them, and defines relayout_clang, the interface that
# Clang-facing libraries link. Clang's own config has no version file, hence the explicit folder.
set(RELAYOUT_LLVM_PREFIX /usr/lib/llvm-22 CACHE PATH "Where LLVM and Clang are installed: 20 or later")
set(RELAYOUT_OLDEST_LLVM 20)
option(RELAYOUT_FRONT_END "Build what needs Clang: instrument, rewriter and the tool" ON)
option(RELAYOUT_STATIC_CLANG "Link Clang and LLVM into the tool and install Clang's headers with it" OFF)
set(RELAYOUT_CLANG_FOUND FALSE)
if(NOT RELAYOUT_FRONT_END)
  return()
endif()

find_package(LLVM CONFIG QUIET HINTS ${RELAYOUT_LLVM_PREFIX}/lib/cmake/llvm NO_DEFAULT_PATH)
find_package(Clang CONFIG QUIET HINTS ${RELAYOUT_LLVM_PREFIX}/lib/cmake/clang NO_DEFAULT_PATH)
if(NOT LLVM_FOUND OR NOT Clang_FOUND)
  message(STATUS "Clang not found below ${RELAYOUT_LLVM_PREFIX}: building runtime and analysis only")
  return()
endif()
if(LLVM_VERSION_MAJOR LESS RELAYOUT_OLDEST_LLVM)
  message(FATAL_ERROR "RELAYOUT_LLVM_PREFIX is LLVM ${LLVM_VERSION}; relayout needs "
                      "${RELAYOUT_OLDEST_LLVM} or later")
endif()
set(RELAYOUT_CLANG_FOUND TRUE)

add_library(relayout_clang INTERFACE)
target_include_directories(relayout_clang SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS}
                                                           ${CLANG_INCLUDE_DIRS})
target_compile_options(relayout_clang INTERFACE -fno-rtti)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It takes a branch of Clang's own headers, inlined, for a call through a null pointer.
  target_compile_options(relayout_clang INTERFACE -Wno-nonnull)
endif()
if(RELAYOUT_STATIC_CLANG)
  # For machines without LLVM, such as compute nodes. The exported targets lead to the shared
  # libraries, so the archives are named.
  execute_process(
    COMMAND ${RELAYOUT_LLVM_PREFIX}/bin/llvm-config --link-static --libfiles
            support option frontendopenmp frontendhlsl frontenddriver windowsdriver bitreader
            profiledata targetparser
    OUTPUT_VARIABLE relayout_llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(relayout_llvm_archives)
  file(GLOB relayout_clang_archives ${RELAYOUT_LLVM_PREFIX}/lib/libclang[A-Z]*.a)
  target_link_libraries(relayout_clang INTERFACE
    -Wl,--start-group ${relayout_clang_archives} -Wl,--end-group
    ${relayout_llvm_archives} z libzstd.a dl)
  target_link_options(relayout_clang INTERFACE -Wl,--gc-sections -s)
  install(DIRECTORY ${RELAYOUT_LLVM_PREFIX}/lib/clang/${LLVM_VERSION_MAJOR}/include
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/relayout-clang COMPONENT relayout)
else()
  target_link_libraries(relayout_clang INTERFACE clang-cpp LLVM)
endif()
target_compile_definitions(relayout_clang INTERFACE
  RELAYOUT_CLANG_RESOURCE_DIR="${RELAYOUT_LLVM_PREFIX}/lib/clang/${LLVM_VERSION_MAJOR}")
