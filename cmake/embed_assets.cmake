# spindle_embed_assets(<target> <folder> <function> [STAMP <file>] [GZIP])
#
# Compiles the files of a folder into the target. The program reads them with
#   std::span<const spindle::http::Asset> spindle::http::<function>();
# which the area declares itself. The table is generated again when a file is changed, added or removed; with
# STAMP, when that file changes, for a folder that the build itself fills. GZIP adds compressed forms. This file is
# also the script that generates the table, so that no other tool than CMake is needed.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(SPINDLE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(spindle_embed_assets TARGET FOLDER FUNCTION)
    cmake_parse_arguments(ARG "GZIP" "STAMP" "" ${ARGN})
    set(files ${ARG_STAMP})
    if(NOT ARG_STAMP)
      file(GLOB_RECURSE files CONFIGURE_DEPENDS ${FOLDER}/*)
    endif()
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${FUNCTION}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DFOLDER=${FOLDER} -DOUTPUT=${output} -DFUNCTION=${FUNCTION}
              -DGZIP=${ARG_GZIP} -P ${SPINDLE_EMBED_SCRIPT}
      DEPENDS ${files} ${SPINDLE_EMBED_SCRIPT}
      COMMENT "Embedding ${FUNCTION}"
      VERBATIM)
    # The standard asks compilers for literals of 64 KiB only; all that we build with take larger ones.
    set_source_files_properties(${output} PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -Wno-overlength-strings)
    target_sources(${TARGET} PRIVATE ${output})
  endfunction()
  return()
endif()

set(type_html "text/html; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_mjs ${type_js})
set(type_css "text/css; charset=utf-8")
set(type_txt "text/plain; charset=utf-8")
set(type_json "application/json")
set(type_map "application/json")
set(type_webmanifest "application/manifest+json")
set(type_svg "image/svg+xml")
set(type_png "image/png")
set(type_ico "image/x-icon")
set(type_woff2 "font/woff2")
set(type_wasm "application/wasm")

# Appends the definition of a character array with the bytes of a file to `content`.
function(append_bytes file name)
  file(READ ${file} bytes HEX)
  # String literals: GCC compiles them many times faster than lists of numbers.
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(REPEAT "." 128 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" bytes "${bytes}")
  set(content "${content}constexpr char ${name}[] =\n    \"${bytes}\";\n" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(rows "")
set(index 0)
set(content "// Made by cmake/embed_assets.cmake from the files that it names.
#include <array>
#include <span>

#include \"http/router/static_assets.h\"

namespace spindle::http {
std::span<const Asset> ${FUNCTION}();
namespace {
")
foreach(path ${files})
  cmake_path(GET path EXTENSION LAST_ONLY extension)
  string(REGEX REPLACE "^\\." "" extension "${extension}")
  string(TOLOWER "${extension}" extension)
  set(type "application/octet-stream")
  if(extension AND DEFINED type_${extension})
    set(type ${type_${extension}})
  endif()
  file(SHA256 ${FOLDER}/${path} digest)
  string(SUBSTRING ${digest} 0 32 digest)
  file(SIZE ${FOLDER}/${path} size)
  append_bytes(${FOLDER}/${path} kBytes${index})
  set(compressed "{}")
  if(GZIP AND type MATCHES "^(text/|application/(json|manifest)|image/svg)")
    file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.gz PATHS ${FOLDER}/${path} FORMAT raw COMPRESSION GZip
         COMPRESSION_LEVEL 9)
    file(SIZE ${OUTPUT}.gz compressed_size)
    if(compressed_size LESS size)
      append_bytes(${OUTPUT}.gz kGzip${index})
      set(compressed "std::string_view(kGzip${index}, ${compressed_size})")
    endif()
    file(REMOVE ${OUTPUT}.gz)
  endif()
  string(APPEND rows "    Asset{\"${path}\", \"${type}\", \"\\\"${digest}\\\"\", "
                     "std::string_view(kBytes${index}, ${size}), ${compressed}},\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND content "
constexpr std::array<Asset, ${index}> kAssets = {
${rows}};
}  // namespace

std::span<const Asset> ${FUNCTION}() { return kAssets; }
}  // namespace spindle::http
")
file(WRITE ${OUTPUT} "${content}")
