#include "http/client/client_message.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "base/core/ascii.h"

namespace spindle::http {
namespace {

namespace beast = boost::beast;

constexpr std::uint32_t kHeadLimit = 64 * 1024;

/// Returns true for hop-by-hop fields (RFC 9110 §7.6.1), including Transfer-Encoding.
bool isHopByHopField(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "Connection", "Keep-Alive",        "Proxy-Connection", "TE", "Trailer", "Upgrade",
      "Expect",     "Transfer-Encoding", "HTTP2-Settings"};
  for (const std::string_view known : kNames) {
    if (equalIgnoringCase(name, known)) return true;
  }
  return false;
}

bool isFieldName(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  for (const char c : name) {
    if (!isLetterOrDigit(c) && kOthers.find(c) == std::string_view::npos) return false;
  }
  return !name.empty();
}

bool isFieldValue(std::string_view value) {
  for (const char c : value) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) return false;
  }
  return true;
}

void addLine(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

}  // namespace

bool isIdempotent(Method method) {
  switch (method) {
    case Method::kGet:
    case Method::kHead:
    case Method::kPut:
    case Method::kDelete:
    case Method::kOptions:
      return true;
    case Method::kPost:
    case Method::kPatch:
    case Method::kOther:
      return false;
  }
  return false;
}

Result<std::string> requestHead(const ClientRequest& request, const Url& url, bool streamed) {
  if (request.method == Method::kOther) {
    return Error::invalidArgument("The request has a method that the client does not support.");
  }
  std::string out(nameOf(request.method));
  out += " " + url.target + " HTTP/1.1\r\n";
  if (request.headers.find("Host") == nullptr) addLine(out, "Host", url.authority());
  for (const auto& [name, value] : request.headers) {
    if (!isFieldName(name) || !isFieldValue(value)) {
      return Error::invalidArgument("The request has an invalid header.");
    }
    if (isHopByHopField(name) || equalIgnoringCase(name, "Content-Length")) continue;
    if (value.empty() && equalIgnoringCase(name, "Accept-Encoding")) continue;
    addLine(out, name, value);
  }
  if (request.headers.find("Accept") == nullptr) addLine(out, "Accept", "*/*");
  if (request.headers.find("User-Agent") == nullptr) addLine(out, "User-Agent", "spindle");
  if (request.headers.find("Accept-Encoding") == nullptr) {
    // The client does not decode a stream, so it requests a stream uncompressed.
    addLine(out, "Accept-Encoding", streamed ? "identity" : "zstd, gzip");
  }
  const std::uint64_t size =
      request.body_source.read ? request.body_source.size : request.body.size();
  const bool has_body = size > 0 || request.method == Method::kPost ||
                        request.method == Method::kPut || request.method == Method::kPatch;
  if (has_body) addLine(out, "Content-Length", std::to_string(size));
  out += "\r\n";
  return out;
}

BodyCollector::BodyCollector(const ClientRequest& request,
                             Response& response,
                             std::optional<std::uint64_t> announced)
    : request_(request), response_(response), announced_(announced) {
  const bool is_ours = request.headers.find("Accept-Encoding") == nullptr;
  const std::optional<Coding> coding = codingOf(response.headers.get("Content-Encoding"));
  if (is_ours && coding && *coding != Coding::kIdentity) decoder_ = Decoder::make(*coding);
}

Result<void> BodyCollector::add(std::string_view bytes) {
  is_empty_ = false;
  if (decoder_) {
    Result<void> fed = decoder_->feed(bytes, response_.body, request_.response_limit);
    if (fed) return fed;
    if (fed.error().code() == ErrorCode::kTooLarge) return tooLarge();
    return Error(ErrorCode::kUpstream, "The response has an invalid content encoding.");
  }
  // Refuses a response before reading it if its announced length is too large.
  if (announced_.value_or(0) > request_.response_limit ||
      bytes.size() > request_.response_limit - response_.body.size()) {
    return tooLarge();
  }
  response_.body += bytes;
  return {};
}

Result<void> BodyCollector::finish() {
  if (!decoder_ || is_empty_) return {};
  if (!decoder_->finish()) {
    return Error(ErrorCode::kUpstream, "The response has an invalid content encoding.");
  }
  response_.headers.remove("Content-Encoding");
  response_.headers.remove("Content-Length");
  return {};
}

Error BodyCollector::tooLarge() const {
  return {ErrorCode::kTooLarge,
          "The response is larger than " + std::to_string(request_.response_limit) + " bytes."};
}

/// Beast parses the head only. ResponseReader parses the body, because Beast's chunk parser asserts
/// on some trailers, and no server must be able to abort this process.
class ResponseReader::Parser final : public beast::http::basic_parser<false> {
 public:
  explicit Parser(bool body_follows) {
    header_limit(kHeadLimit);
    body_limit(boost::none);
    skip(!body_follows);
  }

  Response head;

 private:
  using Text = beast::string_view;
  using Fault = beast::error_code;

  void on_request_impl(beast::http::verb, Text, Text, int, Fault&) override {}
  void on_response_impl(int code, Text, int, Fault&) override { head.status = code; }
  void on_field_impl(beast::http::field, Text name, Text value, Fault&) override {
    const std::string_view field(name.data(), name.size());
    if (!isHopByHopField(field)) head.headers.add(field, {value.data(), value.size()});
  }
  void on_header_impl(Fault&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Fault&) override {}
  std::size_t on_body_impl(Text, Fault&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, Text, Fault&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text, Fault&) override { return 0; }
  void on_finish_impl(Fault&) override {}
};

ResponseReader::ResponseReader(bool body_follows)
    : parser_(opaque(std::make_unique<Parser>(body_follows))), body_follows_(body_follows) {}

Result<std::size_t> ResponseReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && !parser_->is_header_done()) {
    beast::error_code fault;
    used += parser_->put({bytes.data() + used, bytes.size() - used}, fault);
    if (fault == beast::http::error::need_more) return used;
    if (fault) {
      return Error(ErrorCode::kUpstream,
                   "The response is not valid HTTP: " + fault.message() + ".");
    }
    const int status = parser_->head.status;
    if (status == 101) {
      return Error(ErrorCode::kUpstream, "The server switched to another protocol.");
    }
    if (status / 100 == 1) {
      parser_ = opaque(std::make_unique<Parser>(body_follows_));
    } else {
      beginBody();
    }
  }
  if (used == bytes.size() || done_) return used;
  std::size_t more = TRY(feedBody(bytes.substr(used)));
  return used + more;
}

void ResponseReader::beginBody() {
  if (!parser_->is_done()) {
    const boost::optional<std::uint64_t> length = parser_->content_length();
    if (length) announced_ = *length;
    if (parser_->chunked()) chunks_.emplace();
  }
  left_ = announced_.value_or(0);
  // Beast counts a message without a body as done.
  done_ = parser_->is_done();
}

Result<std::size_t> ResponseReader::feedBody(std::string_view bytes) {
  if (chunks_) {
    const ChunkDecoder::Progress progress =
        chunks_->feed(bytes, body_, std::numeric_limits<std::size_t>::max());
    if (progress.state == ChunkDecoder::State::kBad) {
      return Error(ErrorCode::kUpstream, "The response has an invalid chunked encoding.");
    }
    done_ = progress.state == ChunkDecoder::State::kDone;
    return progress.used;
  }
  const std::size_t taken =
      announced_ ? static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()))
                 : bytes.size();
  body_ += bytes.substr(0, taken);
  left_ -= announced_ ? taken : 0;
  done_ = announced_ && left_ == 0;
  return taken;
}

Result<void> ResponseReader::end() {
  if (headDone() && !announced_ && !chunks_) done_ = true;
  if (done_) return {};
  return Error(ErrorCode::kUpstream,
               "The server closed the connection before the response was complete.");
}

bool ResponseReader::headDone() const { return parser_->is_header_done(); }
bool ResponseReader::keepAlive() const { return parser_->keep_alive(); }
Response& ResponseReader::head() { return parser_->head; }
std::string ResponseReader::takeBody() { return std::exchange(body_, {}); }

}  // namespace spindle::http
