# What `cmake --install` lays down: the program with its man page and profiles, core/ as a library
# that others can build on, and examples of that (`pkg-config --cflags --libs --static gpuprobe-core`).

set_target_properties(gpuprobe_core PROPERTIES OUTPUT_NAME gpuprobe-core)
install(TARGETS gpuprobe_core ARCHIVE)
# The folders below core/device are the devices' own business; device.h is how they are reached.
install(DIRECTORY core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpuprobe FILES_MATCHING PATTERN "*.h"
  REGEX "core/device/[^/]+/" EXCLUDE)

# What a scenario in a shared object includes; the rest of scenarios/ is the program's own.
install(FILES scenarios/parameter.h scenarios/plugin.h scenarios/scenario.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpuprobe/scenarios)

# Paths relative to the .pc file, so that the tree may be installed anywhere and moved.
file(RELATIVE_PATH GP_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" GP_PC_PREFIX ${GP_PC_PREFIX})
configure_file(cmake/gpuprobe-core.pc.in gpuprobe-core.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gpuprobe-core.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES core/examples/policy_longest_apart.c core/examples/user_program.c
  scenarios/examples/scenario_triple.c DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

if(TARGET gpuprobe)
  install(TARGETS gpuprobe RUNTIME)
endif()
