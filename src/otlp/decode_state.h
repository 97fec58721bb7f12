#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "otlp/decode.h"

namespace spindle::otlp {

/// The counts of a decoder against the limits, and its error. The functions return false if
/// decoding must end.
class DecodeState {
 public:
  /// Records an error at an offset of the body.
  bool fail(std::string_view what, std::size_t offset) {
    return fail(std::string(what) + " at byte " + std::to_string(offset));
  }
  /// Records an error that names its byte.
  bool fail(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }

  bool countSpan(std::size_t offset) {
    return ++spans_ <= kMaxSpans || exceed(kMaxSpans, " spans", offset);
  }
  /// Counts one item of a list or map.
  bool countValue(std::size_t offset) {
    return ++values_ <= kMaxValues || exceed(kMaxValues, " values", offset);
  }

  Error error() const {
    return Error(too_large_ ? ErrorCode::kTooLarge : ErrorCode::kInvalidArgument,
                 "Invalid OTLP body: " + fault_);
  }

 private:
  bool exceed(std::size_t limit, std::string_view what, std::size_t offset) {
    too_large_ = true;
    return fail("more than " + std::to_string(limit) + std::string(what), offset);
  }

  std::size_t spans_ = 0;
  std::size_t values_ = 0;
  bool too_large_ = false;
  std::string fault_;
};

}  // namespace spindle::otlp
