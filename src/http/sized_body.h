#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "http/body_stream.h"

namespace spindle::http {

/// A stream whose length is known before its bytes, so that the client is told: a file, or a range
/// of one. The function is asked on worker threads, one at a time, and may block. A stream that
/// ends early cuts the connection.
class SizedBody final : public BodyStream {
 public:
  using Pull = std::function<State(std::string& piece)>;
  SizedBody(std::uint64_t length, Pull pull) : length_(length), pull_(std::move(pull)) {}

  std::uint64_t length() const { return length_; }
  State next(std::string& piece) override { return pull_(piece); }
  bool blocks() const override { return true; }
  void onReady(std::function<void()> /*wake*/) override {}
  void cancel() override {}

 private:
  std::uint64_t length_;
  Pull pull_;
};

}  // namespace spindle::http
