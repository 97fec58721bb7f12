# spindle_precompile(<target> <owner>)
#
# Precompiles the standard headers that nearly every file includes, a third of the input of a clean build. An
# <owner> target without sources of its own compiles them once for all. Files still include what they use: the
# lint build compiles without precompiled headers.
if(SPINDLE_PRECOMPILE)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
  set(spindle_headers <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory>
      <mutex> <optional> <set> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
  add_library(spindle_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(spindle_precompiled PRIVATE ${spindle_headers})
  if(SPINDLE_BUILD_TESTS)
    find_package(GTest REQUIRED)
    add_library(spindle_precompiled_test OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(spindle_precompiled_test PRIVATE GTest::gtest_main)
    target_compile_options(spindle_precompiled_test PRIVATE ${SPINDLE_TEST_OPTIONS})
    target_precompile_headers(spindle_precompiled_test PRIVATE ${spindle_headers} <gtest/gtest.h>)
  endif()
endif()
function(spindle_precompile target owner)
  if(SPINDLE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# spindle_library(NAME <area> HEADERS <files> SOURCES <files> DEPS <areas> LIBS <third party> TESTS <files>
#                 TEST_LIBS <third party of the tests> HEAVY <headers>)
#
# One target per area. An area can include only the areas named in DEPS; tools/check_layers.py reads the
# same lines, so the build and the check agree. LIBS are private: no header of an area contains a third-party
# type. HEAVY headers need compile definitions that the common precompiled headers do not have: the area
# precompiles its own set, which includes them.
function(spindle_library)
  cmake_parse_arguments(ARG "" "NAME" "HEADERS;SOURCES;DEPS;LIBS;TESTS;TEST_LIBS;HEAVY"
                        ${ARGN})
  add_library(spindle_${ARG_NAME} STATIC ${ARG_SOURCES})
  add_library(spindle::${ARG_NAME} ALIAS spindle_${ARG_NAME})
  # A header set, so that the target all_verify_interface_header_sets compiles each header separately.
  target_sources(spindle_${ARG_NAME} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src
                                     FILES ${ARG_HEADERS})
  list(TRANSFORM ARG_DEPS PREPEND spindle::)
  target_link_libraries(spindle_${ARG_NAME} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_LIBS})
  if(SPINDLE_PRECOMPILE AND ARG_HEAVY)
    target_precompile_headers(spindle_${ARG_NAME} PRIVATE ${spindle_headers} ${ARG_HEAVY})
  else()
    spindle_precompile(spindle_${ARG_NAME} spindle_precompiled)
  endif()
  if(ARG_TESTS AND SPINDLE_BUILD_TESTS)
    add_executable(${ARG_NAME}_test ${ARG_TESTS})
    target_link_libraries(${ARG_NAME}_test PRIVATE spindle::${ARG_NAME} ${ARG_TEST_LIBS}
                                                   GTest::gtest_main)
    spindle_precompile(${ARG_NAME}_test spindle_precompiled_test)
    target_compile_options(${ARG_NAME}_test PRIVATE ${SPINDLE_TEST_OPTIONS})
    set_target_properties(${ARG_NAME}_test PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    # One process per area, not per case: LeakSanitizer takes seconds at every process exit.
    add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME}_test)
    set_tests_properties(${ARG_NAME} PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()

# spindle_executable(NAME <program> SOURCES <files> DEPS <areas> LIBS <third party>)
function(spindle_executable)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS;LIBS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPS PREPEND spindle::)
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS} ${ARG_LIBS})
endfunction()
