# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P run.cmake: installs the build into an empty folder,
# builds the consumer against it, and lets it read what the installed tool writes.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
foreach(component relayout relayout-dev relayout-doc)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component ${component})
endforeach()
foreach(file share/doc/relayout/LICENSE share/doc/relayout/README.md share/doc/relayout/docs/terms.md)
  if(NOT EXISTS ${WORK}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/prefix "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)

file(READ ${WORK}/build/relayout-program.txt program)
run(${program} optimize ${SOURCE}/samples/drift/drift.cu -o ${WORK}/out -- --check)
run(${WORK}/build/consumer ${WORK}/out/trace.rlt ${WORK}/out/plan.json)
if(NOT output MATCHES "[1-9][0-9]* accesses\nBuoy: 8 fields\n")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
