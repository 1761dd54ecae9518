# relayout_profile(<target>...): compiles the CUDA sources of these targets with probes and links
# what writes the trace, so that `relayout profile -- PROGRAM` can trace them on a GPU. A program is
# traced as far as its targets are named; libraries hand what they need to whoever links them.
# RECORD <folder> keeps a compile_commands.json of what was compiled, for `relayout optimize -p`.
function(relayout_profile)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "RECORD" "")
  execute_process(COMMAND ${RELAYOUT_PROGRAM} cc --link-flags OUTPUT_VARIABLE words
                  RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "relayout_profile: '${RELAYOUT_PROGRAM} cc --link-flags' failed")
  endif()
  string(REPLACE "-Xlinker\n" "LINKER:" words "${words}")
  string(REPLACE "\n" ";" words "${words}")
  set(options ${words})
  list(FILTER options INCLUDE REGEX "^(LINKER:|-L)")
  set(libraries ${words})
  list(FILTER libraries EXCLUDE REGEX "^(LINKER:|-L)")
  set(launcher ${RELAYOUT_PROGRAM} cc)
  if(arg_RECORD)
    list(APPEND launcher --record ${arg_RECORD})
  endif()
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    set_property(TARGET ${target} PROPERTY CUDA_COMPILER_LAUNCHER ${launcher} --)
    if(arg_RECORD) # host units are part of the program
      set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER ${launcher} --)
      set_property(TARGET ${target} PROPERTY C_COMPILER_LAUNCHER ${launcher} --)
    endif()
    target_link_options(${target} PUBLIC ${options})
    target_link_libraries(${target} PUBLIC ${libraries})
  endforeach()
endfunction()
