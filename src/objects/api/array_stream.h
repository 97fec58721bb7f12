#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/message/body_stream.h"
#include "http/router/operation.h"
#include "json/writer.h"

namespace spindle::objects {

/// Writes some of the next items of an array. Returns false when there are no more. Runs on worker
/// threads, one at a time; may block.
using NextItems = std::function<Result<bool>(json::Writer& items)>;

/// Streams `{"<member>":[…]}` while the client reads, so memory use does not grow with the array.
class ArrayStream final : public http::BodyStream {
 public:
  /// Writes the first items. @return their error; a later error closes the connection.
  static Result<std::shared_ptr<ArrayStream>> begin(std::string_view member, NextItems next);

  /// Returns true if the first chunk is the whole array.
  bool isWhole() const { return ended_; }
  /// Returns the first chunk, for a response that needs no stream.
  std::string takeFirst() { return std::move(buffer_); }

  State next(std::string& piece) override;
  bool blocks() const override { return true; }
  void onReady(std::function<void()> /*wake*/) override {}
  void cancel() override {}

 private:
  explicit ArrayStream(NextItems next) : next_(std::move(next)) {}
  /// Fills the buffer up to the chunk size or the end of the array.
  Result<void> fill();

  NextItems next_;
  std::string buffer_;
  json::Writer writer_{buffer_};
  bool ended_ = false;
};

/// Returns the reply of a handler that responds with an array.
Result<http::Reply<http::Nothing>> arrayReply(std::string_view member, NextItems next);

/// Changes a route whose handler returns arrayReply(). `whole` describes the response.
void replyWithArray(http::Route& route, const schema::TypePtr& whole);

}  // namespace spindle::objects
