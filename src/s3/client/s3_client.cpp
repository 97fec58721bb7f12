#include "s3/client/s3_client.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <thread>
#include <utility>

#include "http/message/uri.h"
#include "s3/client/xml.h"

namespace spindle::s3 {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMostAnswer = 16UL << 20;
constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

http::ClientOptions clientOptions(const BucketOptions& options) {
  http::ClientOptions client;
  client.ca_file = options.ca_file;
  client.connect_timeout = std::min(client.connect_timeout, options.timeout);
  return client;
}

std::string base64Of(const Sha256& digest) {
  return encodeBase64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

/// Waits before attempt `count`, counted from 1: up to 200 ms, doubling up to 3 s.
void backOff(int count) {
  std::uint16_t random = 0;
  randomBytes(&random, sizeof(random));
  const int most = std::min(200 << std::min(count - 1, 4), 3000);
  std::this_thread::sleep_for(milliseconds(most / 2 + random % (most / 2)));
}

Result<std::uint64_t> numberOf(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (text.empty() || fault != std::errc() || stop != end) {
    return Error(ErrorCode::kUnavailable, "the S3 server sent an invalid number").because(kFailed);
  }
  return number;
}

Error invalidAnswer(std::string_view operation) {
  return Error::unavailable("the S3 server sent an invalid response to " + std::string(operation))
      .because(kFailed);
}

Timestamp timeOf(std::string_view text) { return parseTimestamp(text).value.value_or(Timestamp{}); }

/// Returns the head of a response to GET or HEAD; its size is that of the sent bytes.
ObjectHead headOf(const http::Response& response) {
  ObjectHead head;
  head.etag = response.headers.get("ETag");
  head.checksum = response.headers.get("x-amz-checksum-sha256");
  return head;
}

}  // namespace

Body bodyOf(std::string_view bytes, const Sha256& digest) {
  Body body;
  body.size = bytes.size();
  body.digest = digest;
  body.read = [bytes](std::uint64_t offset, std::size_t most) -> Result<std::string> {
    return std::string(bytes.substr(offset, most));
  };
  return body;
}

S3Client::S3Client(BucketOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      credentials_(options_.credentials_file),
      client_(clientOptions(options_)) {
  const Result<http::Url> url = http::parseUrl(options_.endpoint);
  if (!url || url->scheme == http::Url::Scheme::kUnix ||
      url->target.find('?') != std::string::npos) {
    throw std::runtime_error("files.s3_endpoint is not the URL of a server: " + options_.endpoint);
  }
  if (options_.bucket.empty()) throw std::runtime_error("files.s3_bucket is empty");
  scheme_ = url->scheme == http::Url::Scheme::kHttps ? "https://" : "http://";
  authority_ = url->authority();
  base_path_ = url->target;
  while (base_path_.ends_with('/')) base_path_.pop_back();
  if (const Result<Credentials> credentials = credentials_.current(); !credentials) {
    throw std::runtime_error(credentials.error().message());
  }
}

std::string S3Client::host() const {
  return options_.path_style ? authority_ : options_.bucket + "." + authority_;
}

std::string S3Client::pathOf(const std::string& key) const {
  std::string path = base_path_;
  if (options_.path_style) path += "/" + http::percentEncode(options_.bucket);
  return path + "/" + http::percentEncode(key, "/");
}

Result<http::ClientRequest> S3Client::signedRequest(const Exchange& exchange) {
  const Credentials credentials = TRY(credentials_.current());
  const Timestamp now = clock_.now();
  SignedRequest to_sign;
  to_sign.method = http::nameOf(exchange.method);
  to_sign.host = host();
  to_sign.path = pathOf(exchange.key);
  to_sign.query = exchange.query;
  to_sign.headers = exchange.headers;
  if (!exchange.text.empty()) {
    to_sign.payload_hash = toHex(sha256(exchange.text));
  } else {
    to_sign.payload_hash =
        exchange.body.read ? toHex(exchange.body.digest) : std::string(kEmptyHash);
  }
  to_sign.headers.emplace_back("x-amz-date", signingTime(now));
  to_sign.headers.emplace_back("x-amz-content-sha256", to_sign.payload_hash);
  if (!credentials.session_token.empty()) {
    to_sign.headers.emplace_back("x-amz-security-token", credentials.session_token.reveal());
  }

  http::ClientRequest request;
  request.method = exchange.method;
  const std::string query = canonicalQuery(exchange.query);
  request.url = scheme_ + to_sign.host + to_sign.path + (query.empty() ? "" : "?" + query);
  for (const auto& [name, value] : to_sign.headers) request.headers.add(name, value);
  request.headers.add("Authorization", authorization(to_sign, credentials, options_.region, now));
  request.headers.add("Accept-Encoding", "identity");
  request.timeout = options_.timeout;
  request.stream_idle_timeout = options_.timeout;
  request.response_limit = kMostAnswer;
  request.body = exchange.text;
  if (exchange.body.read && exchange.body.size > 0) {
    request.body_source.size = exchange.body.size;
    request.body_source.read = exchange.body.read;
  }
  return request;
}

Result<http::Response> S3Client::send(const Exchange& exchange) {
  const SteadyClock::time_point started = SteadyClock::now();
  for (int count = 1;; ++count) {
    http::ClientRequest request = TRY(signedRequest(exchange));
    Result<http::Response> response = client_.fetch(std::move(request));
    if (response && response->status >= 200 && response->status < 300) return response;
    const bool may_repeat =
        count < options_.attempts && SteadyClock::now() - started < kRetryWindow;
    if (response) {
      const S3Fault fault = faultOf(*response);
      if (!may_repeat || !fault.isTransient()) {
        return errorOf(fault, exchange.operation, options_.bucket);
      }
    } else {
      const bool is_transient = response.error().code() == ErrorCode::kTimeout ||
                                (response.error().code() == ErrorCode::kUpstream &&
                                 response.error().reason() != "tls_error");
      if (!may_repeat || !is_transient) {
        return errorOf(response.error(), exchange.operation, options_.endpoint);
      }
    }
    backOff(count);
  }
}

Result<void> S3Client::put(const std::string& key, const Body& body, Overwrite overwrite) {
  Exchange exchange;
  exchange.method = http::Method::kPut;
  exchange.operation = "PUT object";
  exchange.key = key;
  exchange.headers = {{"x-amz-checksum-sha256", base64Of(body.digest)}};
  if (overwrite == Overwrite::kRefused) exchange.headers.emplace_back("if-none-match", "*");
  exchange.body = body;
  const http::Response response = TRY(send(exchange));
  const std::string_view checksum = response.headers.get("x-amz-checksum-sha256");
  if (!checksum.empty() && checksum != base64Of(body.digest)) {
    return Error::unavailable("PUT object: the S3 server stored other bytes than were sent")
        .because(kWrongChecksum);
  }
  return {};
}

Result<ObjectPart> S3Client::get(const std::string& key,
                                 std::uint64_t offset,
                                 std::size_t most,
                                 const std::string& etag) {
  Exchange exchange;
  exchange.operation = "GET object";
  exchange.key = key;
  const std::uint64_t last = offset + std::max<std::size_t>(most, 1) - 1;
  exchange.headers = {{"range", "bytes=" + std::to_string(offset) + "-" + std::to_string(last)}};
  if (!etag.empty()) exchange.headers.emplace_back("if-match", etag);
  Result<http::Response> response = send(exchange);
  if (!response) {
    // No byte of an empty object is in the range.
    if (offset == 0 && response.error().code() == ErrorCode::kInvalidArgument) {
      ObjectPart empty;
      empty.head = TRY(head(key));
      if (empty.head.size == 0) return empty;
    }
    return response.error();
  }
  ObjectPart part;
  part.head = headOf(*response);
  part.bytes = std::move(response->body);
  const std::string_view range = response->headers.get("Content-Range");
  if (response->status == 206) {
    const std::size_t slash = range.find('/');
    if (!range.starts_with("bytes " + std::to_string(offset) + "-") ||
        slash == std::string_view::npos) {
      return invalidAnswer(exchange.operation);
    }
    part.head.size = TRY(numberOf(range.substr(slash + 1)));
  } else if (offset == 0) {
    part.head.size = part.bytes.size();
  } else {
    return invalidAnswer(exchange.operation);
  }
  const std::uint64_t wanted =
      offset < part.head.size ? std::min<std::uint64_t>(most, part.head.size - offset) : 0;
  if (part.bytes.size() < wanted) return invalidAnswer(exchange.operation);
  part.bytes.resize(wanted);
  return part;
}

Result<ObjectHead> S3Client::head(const std::string& key) {
  Exchange exchange;
  exchange.method = http::Method::kHead;
  exchange.operation = "HEAD object";
  exchange.key = key;
  exchange.headers = {{"x-amz-checksum-mode", "ENABLED"}};
  const http::Response response = TRY(send(exchange));
  ObjectHead head = headOf(response);
  head.size = TRY(numberOf(response.headers.get("Content-Length")));
  return head;
}

Result<void> S3Client::remove(const std::string& key) {
  Exchange exchange;
  exchange.method = http::Method::kDelete;
  exchange.operation = "DELETE object";
  exchange.key = key;
  const Result<http::Response> response = send(exchange);
  if (!response && response.error().code() != ErrorCode::kNotFound) return response.error();
  return {};
}

Result<ObjectPage> S3Client::list(const std::string& prefix, const std::string& next) {
  Exchange exchange;
  exchange.operation = "LIST objects";
  exchange.query = {{"list-type", "2"}, {"prefix", prefix}, {"max-keys", "1000"}};
  if (!next.empty()) exchange.query.emplace_back("continuation-token", next);
  const http::Response response = TRY(send(exchange));
  const Result<XmlElement> root = parseXml(response.body);
  if (!root || root->name != "ListBucketResult") return invalidAnswer(exchange.operation);
  ObjectPage page;
  for (const XmlElement& child : root->children) {
    if (child.name != "Contents") continue;
    page.objects.push_back(
        {std::string(child.textOf("Key")), timeOf(child.textOf("LastModified"))});
  }
  if (root->textOf("IsTruncated") == "true") page.next = root->textOf("NextContinuationToken");
  return page;
}

Result<std::string> S3Client::beginUpload(const std::string& key) {
  Exchange exchange;
  exchange.method = http::Method::kPost;
  exchange.operation = "CREATE multipart upload";
  exchange.key = key;
  exchange.query = {{"uploads", ""}};
  exchange.headers = {{"x-amz-checksum-algorithm", "SHA256"}};
  const http::Response response = TRY(send(exchange));
  const Result<XmlElement> root = parseXml(response.body);
  if (!root || root->textOf("UploadId").empty()) return invalidAnswer(exchange.operation);
  return std::string(root->textOf("UploadId"));
}

Result<UploadedPart> S3Client::uploadPart(const std::string& key,
                                          const std::string& upload,
                                          int number,
                                          const Body& body) {
  Exchange exchange;
  exchange.method = http::Method::kPut;
  exchange.operation = "UPLOAD part";
  exchange.key = key;
  exchange.query = {{"partNumber", std::to_string(number)}, {"uploadId", upload}};
  exchange.headers = {{"x-amz-checksum-sha256", base64Of(body.digest)}};
  exchange.body = body;
  Result<http::Response> response = send(exchange);
  if (!response) {
    if (response.error().code() != ErrorCode::kNotFound) return response.error();
    return Error::unavailable("UPLOAD part: the multipart upload does not exist any more")
        .because(kLostPart);
  }
  const std::string_view checksum = response->headers.get("x-amz-checksum-sha256");
  if (!checksum.empty() && checksum != base64Of(body.digest)) {
    return Error::unavailable("UPLOAD part: the S3 server stored other bytes than were sent")
        .because(kWrongChecksum);
  }
  UploadedPart part{std::string(response->headers.get("ETag")), body.digest};
  if (part.etag.empty()) return invalidAnswer(exchange.operation);
  return part;
}

Result<void> S3Client::completeUpload(const std::string& key,
                                      const std::string& upload,
                                      const std::vector<UploadedPart>& parts) {
  Exchange exchange;
  exchange.method = http::Method::kPost;
  exchange.operation = "COMPLETE multipart upload";
  exchange.key = key;
  exchange.query = {{"uploadId", upload}};
  exchange.text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    exchange.text += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" +
                     xmlEscaped(parts[i].etag) + "</ETag><ChecksumSHA256>" +
                     base64Of(parts[i].digest) + "</ChecksumSHA256></Part>";
  }
  exchange.text += "</CompleteMultipartUpload>";
  Result<http::Response> response = send(exchange);
  if (!response) return response.error();
  // The server sends the status before it has put the parts together.
  const Result<XmlElement> root = parseXml(response->body);
  if (!root) return invalidAnswer(exchange.operation);
  if (root->name != "Error") return {};
  response->status = 500;
  return errorOf(faultOf(*response), exchange.operation, options_.bucket);
}

Result<void> S3Client::abortUpload(const std::string& key, const std::string& upload) {
  Exchange exchange;
  exchange.method = http::Method::kDelete;
  exchange.operation = "ABORT multipart upload";
  exchange.key = key;
  exchange.query = {{"uploadId", upload}};
  const Result<http::Response> response = send(exchange);
  if (!response && response.error().code() != ErrorCode::kNotFound &&
      response.error().reason() != kLostPart) {
    return response.error();
  }
  return {};
}

Result<std::vector<OpenUpload>> S3Client::openUploads(const std::string& prefix) {
  Exchange exchange;
  exchange.operation = "LIST multipart uploads";
  exchange.query = {{"uploads", ""}, {"prefix", prefix}, {"max-uploads", "1000"}};
  const http::Response response = TRY(send(exchange));
  const Result<XmlElement> root = parseXml(response.body);
  if (!root || root->name != "ListMultipartUploadsResult") return invalidAnswer(exchange.operation);
  std::vector<OpenUpload> uploads;
  for (const XmlElement& child : root->children) {
    if (child.name != "Upload") continue;
    uploads.push_back({std::string(child.textOf("Key")), std::string(child.textOf("UploadId")),
                       timeOf(child.textOf("Initiated"))});
  }
  return uploads;
}

Result<std::string> S3Client::presignedGet(const std::string& key,
                                           std::chrono::seconds valid,
                                           Fields query) {
  const Credentials credentials = TRY(credentials_.current());
  SignedRequest request;
  request.method = "GET";
  request.host = host();
  request.path = pathOf(key);
  request.query = std::move(query);
  std::string url = scheme_ + request.host + request.path + "?";
  url += presignedQuery(std::move(request), credentials, options_.region, clock_.now(), valid);
  return url;
}

}  // namespace spindle::s3
