#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::transfer {

/// An exported call, as the API takes it in.
struct SendableCall {
  bool ended = false;  ///< complete, or only started so far
  std::string json;
};

struct LineRules {
  std::string project;     ///< where the call goes: entity/project
  bool keep_refs = false;  ///< leave references to the project it comes from
};

/// Takes over one line of an export, in either spelling. What the server computes is left out: the
/// user, the expiry, the sizes, the derived part of the summary.
/// @return kInvalidArgument when it is no call.
Result<SendableCall> readCallLine(std::string line, const LineRules& rules);

}  // namespace spindle::transfer
