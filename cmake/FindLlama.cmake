# Finds llama.cpp: targets Llama::Llama (llama.h and the ggml headers) and Llama::Common (chat
# templates, samplers, grammars: <common/chat.h>, ...), variables Llama_VERSION and
# Llama_LIBRARY_DIR. ggml loads its CPU back ends at run time from the folder of the libraries.
#
# scripts/setup.sh installs it into native/prefix; -DLlama_ROOT=<prefix> selects another copy.
set(Llama_NATIVE_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../native/prefix)
cmake_path(NORMAL_PATH Llama_NATIVE_PREFIX)

find_path(Llama_INCLUDE_DIR llama.h HINTS ${Llama_NATIVE_PREFIX} PATH_SUFFIXES include/llama include)
if(Llama_INCLUDE_DIR AND EXISTS ${Llama_INCLUDE_DIR}/VERSION)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${Llama_INCLUDE_DIR}/VERSION)
  file(STRINGS ${Llama_INCLUDE_DIR}/VERSION Llama_VERSION LIMIT_COUNT 1)
endif()
# The names of the prebuilt libraries contain the release: libllama.v0.5.0.so.
foreach(Llama_PART llama ggml ggml-base llama-common)
  string(REPLACE "-" "_" Llama_VARIABLE ${Llama_PART})
  find_library(Llama_${Llama_VARIABLE}_LIBRARY
               NAMES ${Llama_PART}.v${Llama_VERSION} ${Llama_PART}
               HINTS ${Llama_NATIVE_PREFIX} PATH_SUFFIXES lib/llama lib)
  mark_as_advanced(Llama_${Llama_VARIABLE}_LIBRARY)
endforeach()
mark_as_advanced(Llama_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Llama
  REQUIRED_VARS Llama_llama_LIBRARY Llama_ggml_LIBRARY Llama_ggml_base_LIBRARY
                Llama_llama_common_LIBRARY Llama_INCLUDE_DIR
  VERSION_VAR Llama_VERSION
  REASON_FAILURE_MESSAGE "Run scripts/setup.sh, which fetches it, or pass -DLlama_ROOT=<prefix>.")

if(Llama_FOUND AND NOT TARGET Llama::Llama)
  cmake_path(GET Llama_llama_LIBRARY PARENT_PATH Llama_LIBRARY_DIR)
  foreach(Llama_PART llama ggml ggml_base llama_common)
    add_library(Llama::${Llama_PART} SHARED IMPORTED)
    cmake_path(GET Llama_${Llama_PART}_LIBRARY FILENAME Llama_SONAME)
    set_target_properties(Llama::${Llama_PART} PROPERTIES
      IMPORTED_LOCATION ${Llama_${Llama_PART}_LIBRARY}
      IMPORTED_SONAME ${Llama_SONAME}
      INTERFACE_INCLUDE_DIRECTORIES ${Llama_INCLUDE_DIR})
  endforeach()

  add_library(Llama::Llama INTERFACE IMPORTED)
  target_link_libraries(Llama::Llama INTERFACE Llama::llama Llama::ggml Llama::ggml_base)
  add_library(Llama::Common INTERFACE IMPORTED)
  target_link_libraries(Llama::Common INTERFACE Llama::llama_common Llama::Llama)
endif()
