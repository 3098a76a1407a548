# What is looked for outside the tree. Each thing that is missing takes a part away, and gp_report says
# which; only SQLite, jansson, zlib and (for the tests) cmocka are required.
set(GP_LEFT_OUT "" CACHE INTERNAL "")

function(gp_left_out text)
  set(left ${GP_LEFT_OUT})
  list(APPEND left "${text}")
  set(GP_LEFT_OUT "${left}" CACHE INTERNAL "")
endfunction()

function(gp_report)
  if(NOT GP_LEFT_OUT)
    message(STATUS "gpuprobe: nothing left out")
  endif()
  foreach(line IN LISTS GP_LEFT_OUT)
    message(STATUS "gpuprobe: left out: ${line}")
  endforeach()
endfunction()

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)

# jansson builds and reads the JSON that we would otherwise escape and parse by hand. Linked statically, so
# that the program runs where only libsqlite3 is installed.
find_path(JANSSON_INCLUDE jansson.h REQUIRED)
find_library(JANSSON_STATIC libjansson.a REQUIRED)
add_library(gp_jansson STATIC IMPORTED)
set_target_properties(gp_jansson PROPERTIES IMPORTED_LOCATION ${JANSSON_STATIC}
  INTERFACE_INCLUDE_DIRECTORIES ${JANSSON_INCLUDE})

# zlib reads traces as PyTorch writes them (.json.gz), which we would otherwise inflate ourselves or through a
# program that has to be there. Linked statically like jansson.
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
find_library(ZLIB_STATIC libz.a REQUIRED)
add_library(gp_zlib STATIC IMPORTED)
set_target_properties(gp_zlib PROPERTIES IMPORTED_LOCATION ${ZLIB_STATIC}
  INTERFACE_INCLUDE_DIRECTORIES ${ZLIB_INCLUDE})

if(GPUPROBE_CUDA_TOOLKIT)
  find_package(CUDAToolkit QUIET)
endif()
if(CUDAToolkit_FOUND)
  message(STATUS "gpuprobe: CUDA toolkit ${CUDAToolkit_VERSION}")
else()
  gp_left_out("the kernels' machine code (no CUDA toolkit): the PTX in kernels/ptx is used, which drivers since 418 compile at load")
endif()

set(GP_NVTX_INCLUDE "")
if(GPUPROBE_NVTX)
  find_path(NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda/include)
  if(NVTX_INCLUDE)
    set(GP_NVTX_INCLUDE ${NVTX_INCLUDE})
  endif()
endif()
if(NOT GP_NVTX_INCLUDE)
  gp_left_out("NVTX (no nvtx3 headers): ranges are recorded, Nsight does not see them")
endif()

# The viewer's window: GTK 4.8, which Debian 12 has. Without it everything else is built.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(GTK4 QUIET IMPORTED_TARGET gtk4>=4.8)
endif()
if(NOT GTK4_FOUND)
  gp_left_out("gpuprobe-viewer (no GTK 4.8 or newer)")
endif()
