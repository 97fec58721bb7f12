#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/body_stream.h"
#include "http/endpoint.h"
#include "json/writer.h"

namespace spindle::objects {

/// Writes the next items of an array, a moderate number of them. False when there are no more.
/// Runs on worker threads, one at a time; may block.
using NextItems = std::function<Result<bool>(json::Writer& items)>;

/// `{"<member>":[…]}`, made while the client reads: memory does not grow with the array.
class ArrayStream final : public http::BodyStream {
 public:
  /// @return the error of the first items: what fails later cuts the connection.
  static Result<std::shared_ptr<ArrayStream>> begin(std::string_view member, NextItems next);

  /// True when the first piece is all there is.
  bool isWhole() const { return ended_; }
  /// The first piece, for an answer that needs no stream.
  std::string takeFirst() { return std::move(buffer_); }

  State next(std::string& piece) override;
  bool blocks() const override { return true; }
  void onReady(std::function<void()> /*wake*/) override {}
  void cancel() override {}

 private:
  explicit ArrayStream(NextItems next) : next_(std::move(next)) {}
  /// Fills the buffer up to a good size to send, or to the end.
  Result<void> fill();

  NextItems next_;
  std::string buffer_;
  json::Writer writer_{buffer_};
  bool ended_ = false;
};

/// The reply of an endpoint that answers with an array.
Result<http::Reply<http::Nothing>> arrayReply(std::string_view member, NextItems next);

namespace detail {
/// Sends what fits in one piece as a body of its own.
http::Response wholeIfSmall(http::Response response);
}  // namespace detail

/// A route whose handler answers with arrayReply(); `whole` describes the answer.
template <class Params, class Body, class Whole>
http::Route arrayRoute(http::Endpoint<Params, Body, http::Nothing> endpoint,
                       const schema::Codec<Whole>& whole) {
  http::Route route = http::routeOf(std::move(endpoint));
  route.describe_reply = [type = whole.type()](json::Writer& out, schema::Components& components) {
    type->describe(out, components);
  };
  route.run = [run = std::move(route.run)](const http::Context& context) {
    return detail::wholeIfSmall(run(context));
  };
  return route;
}

}  // namespace spindle::objects
