#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"

namespace spindle::transfer {

/// The progress of an import: everything up to and including line `line` of `file` is on the
/// server.
struct ImportState {
  std::string url;
  std::string project;
  bool keep_refs = false;
  std::string file = {};
  std::int64_t line = 0;
  std::int64_t calls = 0;    ///< sent so far
  std::int64_t skipped = 0;  ///< bad lines so far

  /// Returns true if both belong to the same import.
  bool isSameImport(const ImportState& other) const {
    return url == other.url && project == other.project && keep_refs == other.keep_refs;
  }
};

/// Parses the state of an import. @return kInvalidArgument for other text.
Result<ImportState> readImportState(std::string text);
std::string writeImportState(const ImportState& state);

}  // namespace spindle::transfer
