# spindle_embed_console(<target> <function>)
#
# Bundles web/console with esbuild when one of its sources has changed, and compiles the bundle into the target as
# spindle_embed_assets() does. scripts/setup.sh installs the npm packages; the build needs no network.
function(spindle_embed_console TARGET FUNCTION)
  set(source ${PROJECT_SOURCE_DIR}/web/console)
  set(folder ${PROJECT_BINARY_DIR}/console)
  set(stamp ${PROJECT_BINARY_DIR}/console.stamp)
  find_program(SPINDLE_NODE node REQUIRED)
  if(NOT EXISTS ${source}/node_modules/.stamp)
    message(FATAL_ERROR "the npm packages of web/console are missing: run scripts/setup.sh")
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${source}/src/*)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${SPINDLE_NODE} build.mjs ${folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    WORKING_DIRECTORY ${source}
    DEPENDS ${files} ${source}/index.html ${source}/build.mjs ${source}/chunks.mjs ${source}/package-lock.json
            ${source}/tsconfig.json ${source}/node_modules/.stamp
    COMMENT "Bundling the console"
    VERBATIM)
  spindle_embed_assets(${TARGET} ${folder} ${FUNCTION} STAMP ${stamp} GZIP)
endfunction()
