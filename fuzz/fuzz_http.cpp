// Reads any bytes as requests: the result for heads and chunked bodies must not depend on how the
// bytes are split into reads, and the router must return a response for every request.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/chunk_decoder.h"
#include "http/message/request_parser.h"
#include "http/router/route_group.h"
#include "json/document.h"
#include "schema/scalar.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): one short program
using http::ChunkDecoder;
using http::RequestParser;

constexpr std::size_t kHeaderLimit = 4096;
constexpr std::size_t kBodyLimit = 8192;

void require(bool condition) {
  if (!condition) std::abort();
}

/// The parse result of a stream of bytes.
struct Understood {
  std::vector<std::string> heads;
  std::string bodies;
  bool refused = false;

  bool operator==(const Understood&) const = default;
};

/// Reads requests like a session, in chunks of the given size.
class Reader {
 public:
  explicit Reader(std::size_t piece) : piece_(piece), parser_(kHeaderLimit) {
    parser_.begin(request_);
  }

  Understood run(std::string_view input) {
    for (std::size_t at = 0; at < input.size() && !understood_.refused; at += piece_) {
      pending_ += input.substr(at, piece_);
      while (step()) {
      }
    }
    return std::move(understood_);
  }

 private:
  /// Returns true while the pending bytes may contain more to parse.
  bool step() {
    if (understood_.refused || pending_.empty()) return false;
    if (in_body_) return body();
    const RequestParser::Progress progress = parser_.feed(pending_);
    require(progress.used <= pending_.size());
    pending_.erase(0, progress.used);
    if (progress.state == RequestParser::State::kMore) return false;
    if (progress.state == RequestParser::State::kRefused) {
      understood_.refused = true;
      return false;
    }
    understood_.heads.push_back(request_.target);
    in_body_ = parser_.framing().hasBody();
    chunked_ = parser_.framing().chunked;
    left_ = parser_.framing().content_length;
    decoder_ = ChunkDecoder();
    if (!in_body_) next();
    return true;
  }

  bool body() {
    if (!chunked_) {
      const std::size_t taken = std::min<std::uint64_t>(left_, pending_.size());
      understood_.bodies.append(pending_, 0, taken);
      pending_.erase(0, taken);
      left_ -= taken;
      if (left_ == 0) next();
      return left_ == 0;
    }
    std::string decoded;
    const ChunkDecoder::Progress progress = decoder_.feed(pending_, decoded, kBodyLimit);
    require(progress.used <= pending_.size());
    require(decoded.size() <= kBodyLimit);
    understood_.bodies += decoded;
    pending_.erase(0, progress.used);
    if (progress.state == ChunkDecoder::State::kMore) return false;
    if (progress.state != ChunkDecoder::State::kDone) {
      understood_.refused = true;
      return false;
    }
    next();
    return true;
  }

  void next() {
    in_body_ = false;
    request_ = {};
    parser_.begin(request_);
  }

  const std::size_t piece_;
  RequestParser parser_;
  http::Request request_;
  ChunkDecoder decoder_;
  Understood understood_;
  std::string pending_;
  bool in_body_ = false;
  bool chunked_ = false;
  std::uint64_t left_ = 0;
};

struct Query {
  std::string name;
  std::int64_t limit = 5;
  std::vector<std::string> tags;
};

const http::Router& openRouter() {
  static const auto router = [] {
    auto made = std::make_unique<http::Router>(http::RouterPorts{});
    http::RoutePolicy policy;
    policy.credentials = http::Credentials::kOpen;
    http::RouteGroup routes(*made, policy, {});
    routes.get("/things/{name}", {"thing", ""},
               {.params = http::Parameters<Query>()
                              .path("name", &Query::name, schema::string({.max_length = 8}), "")
                              .query("limit", &Query::limit, schema::integer(), "")
                              .query("tag", &Query::tags, schema::list(schema::string()), ""),
                .status = 200},
               [](const Query&) -> Result<void> { return {}; });
    return made;
  }();
  return *router;
}

void route(std::string target) {
  http::Request request;
  request.target = std::move(target);
  const http::Response response = openRouter().handle(request);
  require(response.status >= 200 && response.status < 500);
  if (response.body.empty()) return;
  const auto body = json::Document::parse(response.body, 1000);
  require(std::holds_alternative<json::Document>(body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Ends with an empty line, so that every head is complete: in an incomplete head, when an error
  // is detected may depend on the chunk size.
  const std::string input = std::string(reinterpret_cast<const char*>(data), size) + "\r\n\r\n";
  const Understood whole = Reader(input.size()).run(input);
  const Understood by_seven = Reader(7).run(input);
  require(whole.heads == by_seven.heads && whole.refused == by_seven.refused);
  if (!whole.refused) require(whole.bodies == by_seven.bodies);
  for (const std::string& target : whole.heads) route(target);
  route("/things/" + input.substr(0, 512));
  return 0;
}
