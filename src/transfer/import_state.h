#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spindle::transfer {

/// How far an import has come: everything up to and with a line of a file is on the server.
struct ImportState {
  std::string url;
  std::string project;
  bool keep_refs = false;
  std::string file = {};
  std::int64_t line = 0;
  std::int64_t calls = 0;    ///< sent so far
  std::int64_t skipped = 0;  ///< bad lines so far

  /// Whether it is about the same import.
  bool isOf(const ImportState& other) const {
    return url == other.url && project == other.project && keep_refs == other.keep_refs;
  }
};

/// @return kInvalidArgument when the text is none.
Result<ImportState> readImportState(std::string text);
std::string writeImportState(const ImportState& state);

}  // namespace spindle::transfer
