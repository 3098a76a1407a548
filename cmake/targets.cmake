# How targets are made here: one set of flags, and include paths that let a folder see only the folders
# that it may use (design: one direction).

add_library(gpuprobe_flags INTERFACE)
target_compile_options(gpuprobe_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wconversion -Wundef -fno-common
  # Texts of errors are cut at their buffer's end on purpose.
  $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>
  # clang's -Wconversion objects to assert(!"why").
  $<$<C_COMPILER_ID:Clang>:-Wno-string-conversion>)
target_compile_definitions(gpuprobe_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(GPUPROBE_SANITIZE)
  target_compile_options(gpuprobe_flags INTERFACE
    -fsanitize=${GPUPROBE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(gpuprobe_flags INTERFACE -fsanitize=${GPUPROBE_SANITIZE})
endif()

if(GPUPROBE_FUZZ)
  target_compile_options(gpuprobe_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# gp_folder_include(TARGET FOLDER): "FOLDER/x.h" is found by TARGET and by who links it, and nothing
# else of the tree is. A link in the build folder stands for the folder.
function(gp_folder_include target folder)
  set(root ${CMAKE_BINARY_DIR}/include/${folder})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}>)
endfunction()

# gp_library(NAME FOLDER SOURCES … LINKS …): a static library of one folder.
function(gp_library name folder)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  gp_folder_include(${name} ${folder})
  target_link_libraries(${name} PUBLIC ${arg_LINKS}
    PRIVATE $<BUILD_INTERFACE:gpuprobe_flags> ${arg_PRIVATE_LINKS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
