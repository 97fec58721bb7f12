# spindle_precompiled(<owner> HEADERS <headers> LIBS <third party> OPTIONS <compiler options>)
# spindle_precompile(<target> <owner>)
#
# Precompiles the standard headers that nearly every file includes, a third of the input of a clean build, and
# HEADERS. An <owner> target without sources of its own compiles them once for all targets that name it; LIBS and
# OPTIONS must be those of these targets. Files still include what they use: the lint build compiles without
# precompiled headers.
function(spindle_precompiled owner)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS;OPTIONS" ${ARGN})
  if(SPINDLE_PRECOMPILE)
    file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(${owner} PRIVATE ${ARG_LIBS})
    target_compile_options(${owner} PRIVATE ${ARG_OPTIONS})
    target_precompile_headers(
      ${owner} PRIVATE <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory> <mutex>
      <optional> <set> <string> <string_view> <unordered_map> <utility> <variant> <vector> ${ARG_HEADERS})
  endif()
endfunction()
function(spindle_precompile target owner)
  if(SPINDLE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
spindle_precompiled(spindle_precompiled)
if(SPINDLE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  spindle_precompiled(spindle_precompiled_test HEADERS <gtest/gtest.h> LIBS GTest::gtest_main
                      OPTIONS ${SPINDLE_TEST_OPTIONS})
endif()

# spindle_unity(<target>)
#
# Compiles the sources of the target in groups: most of the time of a small file goes into the headers that it shares
# with its neighbours. The names in the anonymous namespaces of one folder must therefore differ.
function(spindle_unity target)
  if(SPINDLE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SPINDLE_UNITY})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC takes the grouped sources for headers, in which such a class would be an error.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# spindle_library(NAME <area or area/room> [COLD] HEADERS <files> SOURCES <files> DEPS <targets>
#                 LIBS <third party> PRECOMPILED <owner>
#                 TESTS <files> TEST_DEPS <targets> TEST_LIBS <third party>)
#
# One target per folder: `NAME http/client` defines spindle::http_client, and http_client_test for its
# TESTS. A folder can include only the targets in DEPS, its tests also those in TEST_DEPS:
# tools/check_layers.py reads the same lines, so that the build and the check agree. LIBS are private: no
# header shows a third-party type. PRECOMPILED names the owner of precompiled headers that are not those of
# all targets. A COLD folder contains code that runs once, or that waits for a store or a peer most of its
# time: it is compiled with SPINDLE_COLD_OPTIONS too, which take less time to compile.
function(spindle_library)
  cmake_parse_arguments(ARG "COLD" "NAME;PRECOMPILED" "HEADERS;SOURCES;DEPS;LIBS;TESTS;TEST_DEPS;TEST_LIBS"
                        ${ARGN})
  string(REPLACE "/" "_" id ${ARG_NAME})
  spindle_targets(deps ${ARG_DEPS})
  add_library(spindle_${id} STATIC ${ARG_SOURCES})
  add_library(spindle::${id} ALIAS spindle_${id})
  # A header set, so that the target all_verify_interface_header_sets compiles each header alone.
  target_sources(spindle_${id} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src
                               FILES ${ARG_HEADERS})
  target_link_libraries(spindle_${id} PUBLIC ${deps} PRIVATE ${ARG_LIBS})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED spindle_precompiled)
  endif()
  spindle_precompile(spindle_${id} ${ARG_PRECOMPILED})
  spindle_unity(spindle_${id})
  if(ARG_COLD)
    target_compile_options(spindle_${id} PRIVATE ${SPINDLE_COLD_OPTIONS})
  endif()
  if(ARG_TESTS AND SPINDLE_BUILD_TESTS)
    spindle_targets(test_deps ${ARG_TEST_DEPS})
    add_executable(${id}_test ${ARG_TESTS})
    target_link_libraries(${id}_test PRIVATE spindle::${id} ${test_deps} ${ARG_TEST_LIBS}
                                             GTest::gtest_main)
    spindle_precompile(${id}_test spindle_precompiled_test)
    spindle_unity(${id}_test)
    target_compile_options(${id}_test PRIVATE ${SPINDLE_TEST_OPTIONS})
    set_target_properties(${id}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    # One process per target, not per case: LeakSanitizer costs seconds at every process exit.
    add_test(NAME ${ARG_NAME} COMMAND ${id}_test)
    set_tests_properties(${ARG_NAME} PROPERTIES LABELS unit TIMEOUT ${SPINDLE_TEST_SECONDS})
  endif()
endfunction()

# spindle_targets(<variable> <names>...): sets the variable to the CMake targets of areas and rooms.
function(spindle_targets variable)
  set(targets ${ARGN})
  list(TRANSFORM targets REPLACE "/" "_")
  list(TRANSFORM targets PREPEND spindle::)
  set(${variable} ${targets} PARENT_SCOPE)
endfunction()

# spindle_executable(NAME <program> [COLD] SOURCES <files> DEPS <targets> LIBS <third party>)
#
# COLD sources only read the command line and start the program.
function(spindle_executable)
  cmake_parse_arguments(ARG "COLD" "NAME" "SOURCES;DEPS;LIBS" ${ARGN})
  spindle_targets(deps ${ARG_DEPS})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${deps} ${ARG_LIBS})
  spindle_precompile(${ARG_NAME} spindle_precompiled)
  if(ARG_COLD)
    target_compile_options(${ARG_NAME} PRIVATE ${SPINDLE_COLD_OPTIONS})
  endif()
endfunction()
