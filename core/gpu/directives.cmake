# Devices driven by compiler directives. Each model is a platform whose loops are in a benchmark's source MODEL.cpp, which
# a compiler with offloading compiles and links; host code is compiled as everywhere else.
#   omptarget  OpenMP's target regions
#   openacc    OpenACC
# They use NVIDIA's devices, which the driver identifies (directives/driver.cpp).

set(BANZUKE_OFFLOAD "AUTO" CACHE STRING "ON: programs by directives are required; OFF: there are none; AUTO: where a compiler offloads")
set(BANZUKE_OFFLOAD_CXX "" CACHE STRING "The compiler that offloads; empty: the C++ compiler, else g++, clang++ or nvc++ on PATH")
set(BANZUKE_OMPTARGET_FLAGS "" CACHE STRING "Its options for OpenMP's target regions; empty: those of a compiler that is known")
set(BANZUKE_OPENACC_FLAGS "" CACHE STRING "Its options for OpenACC; the same")

set(banzuke_directive_models omptarget openacc)
set(banzuke_offloading "")  # models for which a compiler with offloading was found

# Options of known compilers, by model. GCC generates PTX for the oldest device, which the driver compiles for the one
# that it finds; a ptxas on PATH may know only newer devices, so it must not verify that. GCC's table of device code is
# not position-independent.
set(offload_gnu_omptarget -fopenmp -foffload=nvptx-none -foffload-options=nvptx-none=-Wa,--no-verify -no-pie)
set(offload_gnu_openacc -fopenacc -foffload=nvptx-none -foffload-options=nvptx-none=-Wa,--no-verify -no-pie)
set(offload_clang_omptarget -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda)
set(offload_nvc_omptarget -mp=gpu)
set(offload_nvc_openacc -acc=gpu)

# Sets `out` to the options with which the compiler offloads the model in a program whose host code is the C++ compiler's;
# empty if it cannot. GCC cannot link Clang's host code, whose OpenMP calls another library.
function(banzuke_offload_options out compiler model)
  set(${out} "" PARENT_SCOPE)
  string(TOUPPER ${model} upper)
  separate_arguments(options UNIX_COMMAND "${BANZUKE_${upper}_FLAGS}")
  execute_process(COMMAND ${compiler} --version OUTPUT_VARIABLE version ERROR_QUIET)
  set(kind gnu)
  if(version MATCHES "nvc\\+\\+")
    set(kind nvc)
  elseif(version MATCHES "clang|LLVM|oneAPI")
    set(kind clang)
  endif()
  if(NOT options)
    set(options ${offload_${kind}_${model}})
  endif()
  if(NOT options)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/offload)
  file(MAKE_DIRECTORY ${folder})
  file(WRITE ${folder}/main.cpp "#include \"core/gpu/directives/model.hpp\"\n"
    "int main() {\n  int threads = 0;\n#pragma omp parallel reduction(+ : threads)\n  ++threads;\n"
    "  return threads > 0 && banzuke::gpu::directives::on_host() ? 1 : 0;\n}\n")
  separate_arguments(host_options UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${OpenMP_CXX_FLAGS}")
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${host_options} -I${PROJECT_SOURCE_DIR} -c ${folder}/main.cpp
            -o ${folder}/main.o
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    return()
  endif()
  execute_process(
    COMMAND ${compiler} -std=c++20 -O3 ${options} -I${PROJECT_SOURCE_DIR} ${folder}/main.o
            ${PROJECT_SOURCE_DIR}/core/gpu/directives/${model}.cpp -o ${folder}/${model}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    return()
  endif()
  # Without its device compiler, GCC silently omits the device code.
  if(kind STREQUAL "gnu")
    file(STRINGS ${folder}/${model} code REGEX "\\.target sm_" LIMIT_COUNT 1)
    if(NOT code)
      return()
    endif()
  endif()
  set(${out} ${options} PARENT_SCOPE)
endfunction()

if(NOT BANZUKE_OFFLOAD STREQUAL "OFF")
  set(candidates ${BANZUKE_OFFLOAD_CXX})
  if(NOT candidates)
    set(candidates ${CMAKE_CXX_COMPILER} g++ clang++ nvc++)
  endif()
  foreach(model IN LISTS banzuke_directive_models)
    foreach(candidate IN LISTS candidates)
      set(options "")
      find_program(offload_compiler ${candidate} NO_CACHE)
      if(offload_compiler)
        banzuke_offload_options(options ${offload_compiler} ${model})
      endif()
      if(offload_compiler AND options)
        list(APPEND banzuke_offloading ${model})
        set(offload_${model}_compiler ${offload_compiler})
        set(offload_${model}_options ${options})
        message(STATUS "Devices by directives: ${model} by ${offload_compiler}")
        unset(offload_compiler)
        break()
      endif()
      unset(offload_compiler)
    endforeach()
  endforeach()
  if(NOT banzuke_offloading)
    set(why "no compiler here offloads to NVIDIA's devices (Debian: gcc-offload-nvptx)")
    if(BANZUKE_OFFLOAD STREQUAL "ON")
      message(FATAL_ERROR "${why}: install one, name it by BANZUKE_OFFLOAD_CXX and its options by "
        "BANZUKE_OMPTARGET_FLAGS or BANZUKE_OPENACC_FLAGS, or set BANZUKE_OFFLOAD=OFF")
    endif()
    message(STATUS "Devices by directives: ${why}")
  endif()
endif()

# Sets `out` to the object of a source with directives.
function(banzuke_offload_object out model source)
  cmake_path(GET source STEM name)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${model}/${name}.o)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${model})
  add_custom_command(OUTPUT ${object}
    COMMAND ${offload_${model}_compiler} -std=c++20 -O3 ${offload_${model}_options} -I${PROJECT_SOURCE_DIR}
            -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMENT "Building ${model} object ${name}.o")
  set(${out} ${object} PARENT_SCOPE)
endfunction()

set(directives_host core/gpu/choose.cpp core/gpu/library.cpp core/gpu/timing.cpp core/gpu/directives/driver.cpp
    core/gpu/directives/placed.cpp core/gpu/directives/runtime.cpp)
# Links a program with the offloading compiler and its own OpenMP library instead of the one that CMake found.
file(WRITE ${CMAKE_BINARY_DIR}/offload/link.sh [=[
# sh link.sh COMPILER OPTION... -- REPLACED ARGUMENT...
place=options
for argument; do
  shift
  case $place:$argument in
    options:--) place=replaced ;;
    replaced:*) place=arguments ;;
    arguments:*/libgomp.so | arguments:*/libgomp.a | arguments:*/libomp.so) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "$@"
]=])
foreach(model IN LISTS banzuke_offloading)
  add_library(banzuke-gpu-${model} STATIC EXCLUDE_FROM_ALL ${directives_host})
  target_link_libraries(banzuke-gpu-${model} PUBLIC banzuke-core)
  banzuke_precompile_headers(programs banzuke-gpu-${model})
  banzuke_offload_object(object ${model} ${PROJECT_SOURCE_DIR}/core/gpu/directives/${model}.cpp)
  set(banzuke_${model}_object ${object})
  add_custom_target(banzuke-${model}-object DEPENDS ${object})
endforeach()

# Sources and linking of a program with directives.
function(banzuke_offload_program program model object)
  target_sources(${program} PRIVATE ${object} ${banzuke_${model}_object})
  set_source_files_properties(${object} ${banzuke_${model}_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_dependencies(${program} banzuke-${model}-object)
  list(JOIN offload_${model}_options " " options)
  set_target_properties(${program} PROPERTIES
    RULE_LAUNCH_LINK "sh \"${CMAKE_BINARY_DIR}/offload/link.sh\" \"${offload_${model}_compiler}\" ${options} --"
    # A kit has the runtime and its plugin beside the program. The runtime loads the plugin, for which the loader searches
    # the program's path only with the older tag (RPATH).
    BUILD_RPATH "$ORIGIN/../lib" LINK_OPTIONS "-Wl,--disable-new-dtags")
endfunction()

# Tests of choosing a device, of checking it against the one used, and of copies, with stand-ins for driver and model.
add_library(cuda-stand-in SHARED EXCLUDE_FROM_ALL core/test_programs/cuda.cpp)
set_target_properties(cuda-stand-in PROPERTIES OUTPUT_NAME cuda SUFFIX ".so.1"
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/stand-in-driver)
add_dependencies(test-programs cuda-stand-in)
if(BANZUKE_TESTS AND NOT CMAKE_CROSSCOMPILING)
  add_library(gpu-test-directives STATIC EXCLUDE_FROM_ALL ${directives_host})
  target_link_libraries(gpu-test-directives PUBLIC banzuke-core)
  banzuke_precompile_headers(programs gpu-test-directives)
  banzuke_test_cases(test-gpu-directives-cases SOURCES core/gpu/test_directives.cpp LIBRARIES banzuke-core)
  target_compile_definitions(test-gpu-directives-cases PRIVATE BANZUKE_CUDA_STAND_IN="$<TARGET_FILE:cuda-stand-in>")
  banzuke_test(test-gpu-directives CASES test-gpu-directives-cases LIBRARIES gpu-test-directives)
  add_dependencies(test-gpu-directives cuda-stand-in)
endif()

# The libraries, programs and tests of a benchmark that has MODEL.cpp beside gpu*.cpp and directives.cpp, which launches
# the loops; called by banzuke_gpu_backends.
# For tests, the emulated device runs the same loops on the processor.
function(banzuke_directive_backends name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CASES")
  foreach(model IN LISTS banzuke_directive_models)
    set(loops ${CMAKE_CURRENT_SOURCE_DIR}/${model}.cpp)
    if(NOT EXISTS ${loops})
      continue()
    endif()
    add_library(${name}-${model}-emulated STATIC EXCLUDE_FROM_ALL ${arg_SOURCES} directives.cpp ${loops})
    target_compile_options(${name}-${model}-emulated PRIVATE -Wno-unknown-pragmas)
    target_link_options(${name}-${model}-emulated PUBLIC $<$<CXX_COMPILER_ID:GNU>:-foffload=disable>)
    target_link_libraries(${name}-${model}-emulated PUBLIC ${name}-shared banzuke-gpu-emulated)
    banzuke_precompile_headers(programs ${name}-${model}-emulated)
    banzuke_device_program(${name} ${model}-emulated emulated CASES ${arg_CASES})
    if(NOT model IN_LIST banzuke_offloading)
      continue()
    endif()
    banzuke_offload_object(object ${model} ${loops})
    add_custom_target(${name}-${model}-object DEPENDS ${object})
    add_library(${name}-${model} STATIC EXCLUDE_FROM_ALL ${arg_SOURCES} directives.cpp)
    target_link_libraries(${name}-${model} PUBLIC ${name}-shared banzuke-gpu-${model})
    banzuke_precompile_headers(programs ${name}-${model})
    banzuke_device_program(${name} ${model} NVIDIA CASES ${arg_CASES})
    foreach(program IN ITEMS banzuke-${name}-${model} test-${name}-${model})
      if(TARGET ${program})
        add_dependencies(${program} ${name}-${model}-object)
        banzuke_offload_program(${program} ${model} ${object})
      endif()
    endforeach()
  endforeach()
endfunction()
