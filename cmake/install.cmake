# Rules of `cmake --install`, used by deploy/package/build.py. Component `server`: spindle, spindle-engine, their
# libraries and the model; component `trainer`: spindle-trainer and its libraries. The tree can be moved: programs find
# their libraries relative to their own folder.

# spindle_install(<component> <private library folder> PROGRAMS <targets> LIBRARIES <files>)
function(spindle_install component folder)
  cmake_parse_arguments(ARG "" "" "PROGRAMS;LIBRARIES" ${ARGN})
  set_target_properties(${ARG_PROGRAMS} PROPERTIES INSTALL_RPATH "$ORIGIN/../${folder}")
  foreach(program ${ARG_PROGRAMS})
    # RPATH, unlike RUNPATH, is also valid for the libraries of libraries.
    target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
  endforeach()
  install(TARGETS ${ARG_PROGRAMS} RUNTIME DESTINATION bin COMPONENT ${component})
  install(FILES ${ARG_LIBRARIES} DESTINATION ${folder} COMPONENT ${component})
  # The published libraries of llama.cpp also search the working folder (an empty entry), where others may write.
  install(CODE "
    file(GLOB libraries \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/*.so\")
    foreach(library \${libraries})
      file(READ_ELF \${library} RUNPATH runpath)
      if(runpath STREQUAL [[$ORIGIN;]])
        file(RPATH_CHANGE FILE \${library} OLD_RPATH [[$ORIGIN:]] NEW_RPATH [[$ORIGIN]])
      endif()
    endforeach()" COMPONENT ${component})
endfunction()

# ggml loads the back end that suits the processor, so all of them are installed.
file(GLOB SPINDLE_LLAMA_LIBRARIES ${Llama_LIBRARY_DIR}/lib*.so)
spindle_install(server lib/spindle PROGRAMS spindle spindle-engine
                LIBRARIES ${DuckDB_LIBRARY} ${SPINDLE_LLAMA_LIBRARIES})
spindle_install(trainer lib/spindle-trainer PROGRAMS spindle-trainer LIBRARIES ${SPINDLE_LLAMA_LIBRARIES})
install(FILES models/spindle-nano.gguf DESTINATION share/spindle COMPONENT server)
