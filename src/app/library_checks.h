#pragma once

#include <string>
#include <vector>

#include "app/finding.h"

namespace spindle::app {

/// A shared library that is not linked into this program but needed beside it.
struct NeededLibrary {
  std::string check;       ///< `libduckdb`
  std::string file;        ///< found through the rpath and the system's folders: `libduckdb.so`
  std::string built_with;  ///< where the build found it
  std::string version_function;  ///< `const char* f()`, or empty for none
};

/// DuckDB and the libraries of llama.cpp, as the build found them.
std::vector<NeededLibrary> neededLibraries();

/// Can it be found and loaded? Tried in a child process, so call it while no other thread runs.
Finding checkLibrary(const NeededLibrary& library);

/// The libraries that are linked in, with their versions as they answer at run time.
Finding checkLinkedLibraries();

}  // namespace spindle::app
