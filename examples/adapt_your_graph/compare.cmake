# Runs PROGRAM and compares what it prints with the file EXPECTED.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE code)
file(READ "${EXPECTED}" expected)
if(NOT code STREQUAL "0" OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "exit ${code}, expected:\n${expected}\nprinted:\n${printed}")
endif()
