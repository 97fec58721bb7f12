#pragma once

#include <string>
#include <vector>

#include "app/doctor/finding.h"

namespace spindle::app {

/// A shared library that the engines or the server load at run time.
struct NeededLibrary {
  std::string check;             ///< name of the check, such as `libduckdb`
  std::string file;              ///< searched in the rpath and the system's folders: `libduckdb.so`
  std::string built_with;        ///< path at build time
  std::string version_function;  ///< name of a `const char* f()`; empty: none
};

/// Returns DuckDB and the libraries of llama.cpp, with their paths at build time.
std::vector<NeededLibrary> neededLibraries();

/// Checks that the library can be loaded. Forks a child process: call it before any thread starts.
Finding checkLibrary(const NeededLibrary& library);

/// Returns the linked libraries with their versions at run time.
Finding checkLinkedLibraries();

}  // namespace spindle::app
