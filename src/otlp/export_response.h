#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::otlp {

/// What became of the spans of a request.
class Rejections {
 public:
  /// Only the first are told.
  static constexpr std::size_t kToldReasons = 20;

  /// A reason longer than kMaxReason bytes is cut.
  void add(std::string_view reason, std::size_t spans = 1);
  static constexpr std::size_t kMaxReason = 1024;
  std::size_t spans() const { return spans_; }
  bool none() const { return reasons_ == 0; }
  /// Reasons joined with `"; "`, and `"; ..."` when there are more than are told.
  const std::string& message() const { return message_; }

 private:
  std::size_t spans_ = 0;
  std::size_t reasons_ = 0;
  std::string message_;
};

// The body of the answer, ExportTraceServiceResponse: without a part for rejections when there are
// none, as the protocol demands.
std::string protobufResponse(const Rejections& rejections);
std::string jsonResponse(const Rejections& rejections);

}  // namespace spindle::otlp
