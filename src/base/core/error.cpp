#include "base/core/error.h"

namespace spindle {

Error Error::invalid(std::vector<Violation> violations) {
  Error error(ErrorCode::kInvalidSchema, "The request does not match its schema.");
  error.violations_ = std::move(violations);
  return error;
}

Error Error::unauthenticated() { return {ErrorCode::kUnauthenticated, "Not authenticated"}; }

Error Error::because(std::string_view reason) && {
  reason_ = reason;
  return std::move(*this);
}

Error Error::with(std::string_view member, std::string json) && {
  members_.emplace_back(member, std::move(json));
  return std::move(*this);
}

}  // namespace spindle
