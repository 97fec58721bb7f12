#include "objects/api/array_stream.h"

#include <cstddef>

#include "objects/api/log.h"

namespace spindle::objects {
namespace {

constexpr std::size_t kArrayPieceBytes = 64UL * 1024;

}  // namespace

Result<std::shared_ptr<ArrayStream>> ArrayStream::begin(std::string_view member, NextItems next) {
  std::shared_ptr<ArrayStream> stream(new ArrayStream(std::move(next)));
  stream->writer_.beginObject().key(member).beginArray();
  TRY(stream->fill());
  return stream;
}

Result<void> ArrayStream::fill() {
  while (!ended_ && buffer_.size() < kArrayPieceBytes) {
    if (TRY(next_(writer_))) continue;
    writer_.endArray().endObject();
    ended_ = true;
  }
  return {};
}

http::BodyStream::State ArrayStream::next(std::string& piece) {
  if (buffer_.empty()) {
    if (ended_) return State::kEnd;
    if (const Result<void> filled = fill(); !filled) {
      kLog.error("answer_cut", {{"reason", filled.error().message()}});
      return State::kBroken;
    }
  }
  piece = std::move(buffer_);
  buffer_.clear();
  return State::kChunk;
}

Result<http::Reply<http::Nothing>> arrayReply(std::string_view member, NextItems next) {
  std::shared_ptr<ArrayStream> stream = TRY(ArrayStream::begin(member, std::move(next)));
  http::Reply reply(http::Nothing{});
  reply.stream = std::move(stream);
  return reply;
}

namespace {

/// Sends an array that fits in one chunk as an ordinary body.
http::Response wholeIfSmall(http::Response response) {
  auto* const array = dynamic_cast<ArrayStream*>(response.stream.get());
  if (array == nullptr) return response;
  response.headers.set("Content-Type", "application/json");
  if (array->isWhole()) {
    response.body = array->takeFirst();
    response.stream.reset();
  }
  return response;
}

}  // namespace

void replyWithArray(http::Route& route, const schema::TypePtr& whole) {
  route.describe_reply = http::descriptionOf(whole);
  route.run = [run = std::move(route.run)](const http::Context& context) {
    return wholeIfSmall(run(context));
  };
}

}  // namespace spindle::objects
