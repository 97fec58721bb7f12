#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "http/message/body_stream.h"

namespace spindle::http {

/// A stream with a known length, such as a file or a range of a file. The response has a
/// Content-Length. The function runs on worker threads, one call at a time, and may block. A stream
/// that ends early aborts the connection.
class SizedBody final : public BodyStream {
 public:
  using Pull = std::function<State(std::string& chunk)>;
  SizedBody(std::uint64_t length, Pull pull) : length_(length), pull_(std::move(pull)) {}

  std::uint64_t length() const { return length_; }
  State next(std::string& chunk) override { return pull_(chunk); }
  bool blocks() const override { return true; }
  void onReady(std::function<void()> /*wake*/) override {}
  void cancel() override {}

 private:
  std::uint64_t length_;
  Pull pull_;
};

}  // namespace spindle::http
