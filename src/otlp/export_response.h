#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::otlp {

/// The rejected spans of a request: their number and the reasons.
class Rejections {
 public:
  /// The message contains only this number of reasons.
  static constexpr std::size_t kMaxReportedReasons = 20;

  /// Adds a reason for a number of rejected spans. A reason longer than kMaxReason bytes is
  /// truncated.
  void add(std::string_view reason, std::size_t spans = 1);
  static constexpr std::size_t kMaxReason = 1024;
  std::size_t spans() const { return spans_; }
  bool none() const { return reasons_ == 0; }
  /// Returns the reasons joined with `"; "`, and `"; ..."` if there are more than
  /// kMaxReportedReasons.
  const std::string& message() const { return message_; }

 private:
  std::size_t spans_ = 0;
  std::size_t reasons_ = 0;
  std::string message_;
};

// Return the response body, ExportTraceServiceResponse. Without rejections it has no
// `partial_success`, as the protocol requires.
std::string protobufResponse(const Rejections& rejections);
std::string jsonResponse(const Rejections& rejections);

}  // namespace spindle::otlp
