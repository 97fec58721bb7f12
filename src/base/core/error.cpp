#include "base/core/error.h"

namespace spindle {

struct Error::Details {
  std::string message = {};
  std::string reason = {};
  std::vector<Violation> violations = {};
  std::vector<std::pair<std::string, std::string>> members = {};
};

void Error::DeleteDetails::operator()(Details* details) const noexcept { delete details; }

Error::Error(ErrorCode code, std::string_view message)
    : code_(code), details_(new Details{.message = std::string(message)}) {}

Error::Error(const Error& other)
    : code_(other.code_), details_(other.details_ ? new Details(*other.details_) : nullptr) {}

Error& Error::operator=(const Error& other) { return *this = Error(other); }

Error Error::invalid(std::vector<Violation> violations) {
  Error error(ErrorCode::kInvalidSchema, "The request does not match its schema.");
  error.details_->violations = std::move(violations);
  return error;
}

Error Error::invalidArgument(std::string_view message) {
  return {ErrorCode::kInvalidArgument, message};
}

Error Error::unauthenticated() { return {ErrorCode::kUnauthenticated, "Not authenticated"}; }

Error Error::denied(std::string_view message) { return {ErrorCode::kPermissionDenied, message}; }

Error Error::notFound(std::string_view message) { return {ErrorCode::kNotFound, message}; }

Error Error::conflict(std::string_view message) { return {ErrorCode::kConflict, message}; }

Error Error::unavailable(std::string_view message) { return {ErrorCode::kUnavailable, message}; }

Error Error::internal(std::string_view message) { return {ErrorCode::kInternal, message}; }

Error Error::because(std::string_view reason) && {
  editableDetails().reason = reason;
  return std::move(*this);
}

Error Error::with(std::string_view member, std::string json) && {
  editableDetails().members.emplace_back(member, std::move(json));
  return std::move(*this);
}

const std::string& Error::message() const { return details().message; }

const std::string& Error::reason() const { return details().reason; }

const std::vector<Violation>& Error::violations() const { return details().violations; }

const std::vector<std::pair<std::string, std::string>>& Error::members() const {
  return details().members;
}

const Error::Details& Error::details() const {
  static const Details empty;
  return details_ ? *details_ : empty;
}

Error::Details& Error::editableDetails() {
  if (!details_) details_.reset(new Details);
  return *details_;
}

}  // namespace spindle
