#include "http/message/request_parser.h"

#include <charconv>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "http/message/origin.h"

namespace spindle::http {
namespace {

namespace beast = boost::beast;

constexpr std::size_t kMaxFields = 256;

std::string_view viewOf(beast::string_view text) { return {text.data(), text.size()}; }

RequestRefusal malformed(std::string_view detail) { return {400, detail, "malformed"}; }

/// Returns the origin form of a request target. The target may be a path (origin form), `*`, or an
/// absolute URL as for a proxy, of which only the path is used.
std::optional<std::string_view> originForm(std::string_view target) {
  if (target.starts_with('/') || target == "*") return target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() <= scheme.size() ||
        !equalIgnoringCase(target.substr(0, scheme.size()), scheme)) {
      continue;
    }
    const std::size_t path = target.find_first_of("/?", scheme.size());
    if (path == std::string_view::npos) return "/";
    if (target[path] == '/') return target.substr(path);
  }
  return std::nullopt;
}

/// Returns the target without the base path; the unchanged target if it is not under the base path.
std::string_view withoutBasePath(std::string_view target, std::string_view base_path) {
  if (!target.starts_with(base_path)) return target;
  const std::string_view rest = target.substr(base_path.size());
  return rest.empty() || rest.front() == '/' || rest.front() == '?' ? rest : target;
}

/// Returns true if a header line continues on the next one (obs-fold, RFC 9112 section 5.2). Beast
/// joins the lines; other servers parse them as two fields.
bool hasFoldedLine(std::string_view head) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos && at + 2 < head.size();
       at = head.find("\r\n", at + 2)) {
    if (head[at + 2] == ' ' || head[at + 2] == '\t') return true;
  }
  return false;
}

}  // namespace

/// Beast's parser; writes directly into a Request.
class RequestParser::Head final : public beast::http::basic_parser<true> {
 public:
  Head(Request& request, std::size_t limit, const std::string& base_path)
      : request_(request), limit_(limit), base_path_(base_path) {
    header_limit(static_cast<std::uint32_t>(limit));
    body_limit(boost::none);  // this class does not read bodies
  }

  bool started() const { return started_; }
  /// Parses bytes of the head. Returns how many of them it used, and header_limit as soon as the
  /// whole head exceeds the limit: Beast counts the bytes of one call.
  std::size_t parse(std::string_view in, beast::error_code& error) {
    const std::size_t used = put(boost::asio::const_buffer(in.data(), in.size()), error);
    used_ += used;
    const bool incomplete = error == beast::http::error::need_more;
    const bool exceeded =
        incomplete ? used_ + in.size() - used >= limit_ : !error && used_ > limit_;
    if (exceeded) error = beast::http::error::header_limit;
    // Beast parses the first line of a head that arrives in parts when the head is complete.
    started_ |= in.find("\r\n") < limit_;
    return used;
  }
  const std::optional<RequestRefusal>& refusal() const { return refusal_; }
  void refuse(RequestRefusal refusal) { refusal_.emplace(refusal); }
  const RequestFraming& framing() const { return framing_; }

  /// Validates the complete head and sets the framing.
  void validate() {
    framing_.keep_alive = keep_alive();
    framing_.http_1_0 = version_ < 11;
    if (hosts_ > 1 || (hosts_ == 0 && !framing_.http_1_0)) {
      return refuse(malformed("Exactly one Host header is required"));
    }
    if (authorizations_ > 1) {
      return refuse(malformed("At most one Authorization header is allowed"));
    }
    if (transfer_codings_ > 0 && (lengths_ > 0 || framing_.http_1_0 || transfer_codings_ > 1)) {
      return refuse(malformed("The length of the body is ambiguous"));
    }
    if (transfer_codings_ > 0) {
      framing_.chunked = true;
      const std::string_view coding = request_.headers.get("Transfer-Encoding");
      if (!equalIgnoringCase(coding, "chunked")) {
        return refuse({501, "This transfer coding is not supported", "transfer_coding"});
      }
    }
    if (lengths_ > 0 && !readLength()) return refuse(malformed("Content-Length is not a length"));
    if (const std::string* expectation = request_.headers.find("Expect")) {
      if (!equalIgnoringCase(*expectation, "100-continue")) {
        return refuse({417, "This expectation is not supported", "expectation"});
      }
      framing_.expects_continue = !framing_.http_1_0;
    }
  }

 private:
  bool readLength() {
    const std::string_view text = request_.headers.get("Content-Length");
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, framing_.content_length);
    return lengths_ == 1 && error == std::errc() && stop == end;
  }

  void on_request_impl(beast::http::verb /*method*/,
                       beast::string_view method,
                       beast::string_view target,
                       int version,
                       beast::error_code& ec) override {
    started_ = true;
    version_ = version;
    request_.method = methodOf(viewOf(method));
    const std::optional<std::string_view> path = originForm(viewOf(target));
    if (!path) {
      ec = beast::http::error::bad_target;
      return;
    }
    const std::string_view below = withoutBasePath(*path, base_path_);
    request_.target = below;
    if (below.size() == path->size()) return;
    request_.headers.add(kForwardedPrefix, base_path_);
    if (!below.starts_with('/')) request_.target.insert(0, 1, '/');
  }

  void on_field_impl(beast::http::field known,
                     beast::string_view name,
                     beast::string_view value,
                     beast::error_code& ec) override {
    using beast::http::field;
    if (request_.headers.size() >= kMaxFields) {
      ec = beast::http::error::header_limit;
      return;
    }
    if (known == field::host) ++hosts_;
    if (known == field::authorization) ++authorizations_;
    if (known == field::content_length) ++lengths_;
    if (known == field::transfer_encoding) ++transfer_codings_;
    request_.headers.add(viewOf(name), viewOf(value));
  }

  void on_response_impl(int, beast::string_view, int, beast::error_code&) override {}
  void on_header_impl(beast::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  std::size_t on_body_impl(beast::string_view, beast::error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, beast::error_code&) override {
    return 0;
  }
  void on_finish_impl(beast::error_code&) override {}

  Request& request_;
  const std::size_t limit_;  ///< of the head, in bytes
  std::size_t used_ = 0;     ///< bytes of the head
  const std::string& base_path_;
  bool started_ = false;  ///< the first line is complete
  int version_ = 11;
  unsigned hosts_ = 0;
  unsigned authorizations_ = 0;
  unsigned lengths_ = 0;
  unsigned transfer_codings_ = 0;
  RequestFraming framing_;
  std::optional<RequestRefusal> refusal_;
};

RequestParser::RequestParser(std::size_t header_limit, std::string base_path)
    : header_limit_(header_limit), base_path_(std::move(base_path)) {}
RequestParser::~RequestParser() = default;

void RequestParser::begin(Request& request) {
  head_ = std::make_unique<Head>(request, header_limit_, base_path_);
}

RequestParser::Progress RequestParser::feed(std::string_view in) {
  std::size_t skipped = 0;
  if (!head_->started()) {
    // Some clients send an additional line end after a body.
    while (in.size() - skipped >= 2 && in.substr(skipped, 2) == "\r\n") skipped += 2;
    if (in.substr(skipped) == "\r") return {State::kMore, skipped};
  }
  in.remove_prefix(skipped);
  if (in.empty()) return {State::kMore, skipped};
  beast::error_code error;
  const std::size_t used = skipped + head_->parse(in, error);
  if (error == beast::http::error::need_more) return {State::kMore, used};
  if (error == beast::http::error::header_limit) {
    head_->refuse(head_->started()
                      ? RequestRefusal(431, "The request headers are too large", "header_too_large")
                      : RequestRefusal(414, "The request target is too long", "target_too_long"));
  } else if (error) {
    head_->refuse(malformed("The request is malformed"));
  } else if (hasFoldedLine(in.substr(0, used - skipped))) {
    head_->refuse(malformed("A header line must not continue on the next one"));
  } else if (!head_->is_header_done()) {
    return {State::kMore, used};
  } else {
    head_->validate();
  }
  return {head_->refusal() ? State::kRefused : State::kDone, used};
}

const RequestFraming& RequestParser::framing() const { return head_->framing(); }
const RequestRefusal& RequestParser::refusal() const { return *head_->refusal(); }

}  // namespace spindle::http
