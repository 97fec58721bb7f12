#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::transfer {

/// An exported call in the form of an API request.
struct ImportCall {
  bool ended = false;  ///< false: the call has only started
  std::string json;
};

struct CallLineOptions {
  std::string project;     ///< target project: entity/project
  bool keep_refs = false;  ///< keep references to the source project
};

/// Converts one line of an export, in either spelling. Leaves out the values that the server
/// computes: the user, the expiry, the sizes, and the derived part of the summary.
/// @return kInvalidArgument when the line is not a call.
Result<ImportCall> readCallLine(std::string line, const CallLineOptions& options);

}  // namespace spindle::transfer
