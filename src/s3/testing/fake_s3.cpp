#include "s3/testing/fake_s3.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/core/ascii.h"
#include "base/crypto/crypto.h"
#include "http/message/uri.h"
#include "http/testing/scripted_server.h"

namespace spindle::s3 {
namespace {

constexpr std::size_t kPageSize = 3;  // small, so that tests see several pages

std::string base64Of(const Sha256& digest) {
  return encodeBase64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string etagOf(std::string_view content) {
  return "\"" + toHex(sha256(content)).substr(0, 32) + "\"";
}

FakeS3::Request parseRequest(const std::string& text) {
  FakeS3::Request request;
  const std::size_t head_end = text.find("\r\n\r\n");
  request.body = text.substr(head_end + 4);
  std::string_view head = std::string_view(text).substr(0, head_end);
  std::string_view line = head.substr(0, head.find("\r\n"));
  request.method = line.substr(0, line.find(' '));
  line.remove_prefix(line.find(' ') + 1);
  std::string_view target = line.substr(0, line.find(' '));
  const std::size_t question = target.find('?');
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  target = target.substr(0, question);
  target.remove_prefix(FakeS3::kBucket.size() + 2);
  request.key = http::percentDecode(target).value_or("");
  while (head.find("\r\n") != std::string_view::npos) {
    head.remove_prefix(head.find("\r\n") + 2);
    const std::string_view field = head.substr(0, head.find("\r\n"));
    const std::size_t colon = field.find(':');
    request.headers.add(field.substr(0, colon), trimmed(field.substr(colon + 1)));
  }
  return request;
}

std::string parameterOf(const FakeS3::Request& request, std::string_view name) {
  for (const auto& [key, value] :
       http::parseQuery(request.query).value_or(http::QueryParameters())) {
    if (key == name) return value;
  }
  return {};
}

std::uint64_t numberAt(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

FakeS3::FakeS3() {
  server_ = std::make_unique<http::ScriptedServer>([this](http::Peer& peer) {
    while (true) {
      const std::string text = peer.readRequest();
      if (text.empty()) return;
      const Request request = parseRequest(text);
      Script script;
      {
        const MutexLock lock(mutex_);
        seen_.push_back(request.method + " " + request.query);
        script = script_;
      }
      const Fault fault = script ? script(request) : Fault();
      using Kind = Fault::Kind;
      if (fault.kind == Kind::kCutBefore) return;
      if (fault.kind == Kind::kSilence) {
        peer.awaitEnd();
        return;
      }
      if (fault.kind == Kind::kForgetParts) {
        const MutexLock lock(mutex_);
        for (auto& [id, upload] : uploads_) upload.parts.clear();
      }
      Reply reply = fault.kind == Kind::kStatus ? error(fault.status, fault.code) : handle(request);
      if (fault.kind == Kind::kCutAfter) return;
      if (fault.kind == Kind::kFlipBody && !reply.body.empty()) {
        reply.body[reply.body.size() / 2] =
            static_cast<char>(reply.body[reply.body.size() / 2] ^ 1);
      }
      const bool is_head = request.method == "HEAD";
      std::string out = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\nContent-Length: " +
                        std::to_string(is_head ? reply.length : reply.body.size()) + "\r\n";
      for (const auto& [name, value] : reply.headers) out += name + ": " + value + "\r\n";
      out += "\r\n";
      if (fault.kind == Kind::kCutBody) {
        peer.send(out + reply.body.substr(0, reply.body.size() / 2));
        return;
      }
      if (!is_head) out += reply.body;
      if (!peer.send(out)) return;
    }
  });
}

FakeS3::~FakeS3() = default;

std::string FakeS3::endpoint() const { return server_->url(""); }

void FakeS3::setScript(Script script) {
  const MutexLock lock(mutex_);
  script_ = std::move(script);
}

void FakeS3::hideChecksums() {
  const MutexLock lock(mutex_);
  checksums_ = false;
}

std::vector<std::string> FakeS3::keys(std::string_view prefix) const {
  const MutexLock lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, object] : objects_) {
    if (key.starts_with(prefix)) keys.push_back(key);
  }
  return keys;
}

std::string FakeS3::contentOf(const std::string& key) const {
  const MutexLock lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? std::string() : found->second.content;
}

void FakeS3::store(const std::string& key, const std::string& content) {
  const MutexLock lock(mutex_);
  objects_[key] = {content, etagOf(content), base64Of(sha256(content))};
}

void FakeS3::remove(const std::string& key) {
  const MutexLock lock(mutex_);
  objects_.erase(key);
}

std::size_t FakeS3::uploads() const {
  const MutexLock lock(mutex_);
  return uploads_.size();
}

void FakeS3::makeUploadsOld(std::chrono::hours age) {
  const MutexLock lock(mutex_);
  for (auto& [id, upload] : uploads_) upload.started_at = SystemClock().now() - age;
}

int FakeS3::count(std::string_view method, std::string_view query_start) const {
  const MutexLock lock(mutex_);
  const std::string start = std::string(method) + " " + std::string(query_start);
  return static_cast<int>(std::count_if(seen_.begin(), seen_.end(), [&](const std::string& line) {
    return line.starts_with(start);
  }));
}

FakeS3::Reply FakeS3::error(int status, std::string_view code) {
  Reply reply;
  reply.status = status;
  reply.headers.add("x-amz-request-id", "REQ1");
  reply.body = "<?xml version=\"1.0\"?><Error><Code>" + std::string(code) +
               "</Code><Message>of the fake</Message></Error>";
  return reply;
}

FakeS3::Reply FakeS3::handle(const Request& request) {
  const MutexLock lock(mutex_);
  if (request.headers.get("Authorization").find("Credential=" + std::string(kAccessKey) + "/") ==
      std::string_view::npos) {
    return error(403, "InvalidAccessKeyId");
  }
  if (request.headers.get("x-amz-content-sha256") != toHex(sha256(request.body))) {
    return error(400, "XAmzContentSHA256Mismatch");
  }
  if (request.key.empty()) {
    return request.query.find("list-type=2") != std::string::npos ? listObjects(request)
                                                                  : listUploads(request);
  }
  if (!parameterOf(request, "uploadId").empty() || request.query == "uploads=") {
    return handleUpload(request);
  }
  return handleObject(request);
}

FakeS3::Reply FakeS3::handleObject(const Request& request) {
  if (request.method == "PUT") return putObject(request);
  if (request.method == "DELETE") {
    Reply reply;
    reply.status = 204;
    objects_.erase(request.key);
    return reply;
  }
  return getObject(request);
}

FakeS3::Reply FakeS3::putObject(const Request& request) {
  if (request.headers.get("if-none-match") == "*" && objects_.contains(request.key)) {
    return error(412, "PreconditionFailed");
  }
  const std::string checksum = base64Of(sha256(request.body));
  const std::string* const sent = request.headers.find("x-amz-checksum-sha256");
  if (sent != nullptr && *sent != checksum) return error(400, "BadDigest");
  objects_[request.key] = {request.body, etagOf(request.body), checksum};
  Reply reply;
  reply.headers.add("ETag", etagOf(request.body));
  if (checksums_) reply.headers.add("x-amz-checksum-sha256", checksum);
  return reply;
}

FakeS3::Reply FakeS3::getObject(const Request& request) {
  const auto found = objects_.find(request.key);
  if (found == objects_.end()) return error(404, "NoSuchKey");
  const Object& object = found->second;
  const std::string* const match = request.headers.find("if-match");
  if (match != nullptr && *match != object.etag) return error(412, "PreconditionFailed");
  Reply reply;
  reply.headers.add("ETag", object.etag);
  reply.length = object.content.size();
  if (request.method == "HEAD") {
    if (checksums_) reply.headers.add("x-amz-checksum-sha256", object.checksum);
    return reply;
  }
  const std::string_view range = request.headers.get("range");
  if (range.empty()) {
    reply.body = object.content;
    return reply;
  }
  const std::uint64_t first = numberAt(range.substr(6));
  const std::uint64_t last = std::min<std::uint64_t>(numberAt(range.substr(range.find('-') + 1)),
                                                     object.content.size() - 1);
  if (first >= object.content.size()) return error(416, "InvalidRange");
  reply.status = 206;
  reply.body = object.content.substr(first, last - first + 1);
  reply.headers.add("Content-Range", "bytes " + std::to_string(first) + "-" + std::to_string(last) +
                                         "/" + std::to_string(object.content.size()));
  return reply;
}

FakeS3::Reply FakeS3::handleUpload(const Request& request) {
  Reply reply;
  if (request.query == "uploads=") {
    const std::string id = "upload-" + std::to_string(next_upload_++);
    uploads_[id] = {request.key, SystemClock().now(), {}};
    reply.body = "<InitiateMultipartUploadResult><UploadId>" + id +
                 "</UploadId></InitiateMultipartUploadResult>";
    return reply;
  }
  const std::string id = parameterOf(request, "uploadId");
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) return error(404, "NoSuchUpload");
  if (request.method == "PUT") {
    const std::string checksum = base64Of(sha256(request.body));
    if (request.headers.get("x-amz-checksum-sha256") != checksum) return error(400, "BadDigest");
    const int number = static_cast<int>(numberAt(parameterOf(request, "partNumber")));
    found->second.parts[number] = {request.body, etagOf(request.body), checksum};
    reply.headers.add("ETag", etagOf(request.body));
    return reply;
  }
  if (request.method == "POST") return complete(request, id);
  uploads_.erase(found);
  reply.status = 204;
  return reply;
}

FakeS3::Reply FakeS3::complete(const Request& request, const std::string& id) {
  Upload& upload = uploads_[id];
  Object whole;
  std::string digests;
  int count = 0;
  for (std::size_t at = request.body.find("<Part>"); at != std::string::npos;
       at = request.body.find("<Part>", at + 1)) {
    const auto part = upload.parts.find(++count);
    const std::size_t etag = request.body.find("&quot;", at);
    if (part == upload.parts.end() ||
        "\"" + request.body.substr(etag + 6, 32) + "\"" != part->second.etag) {
      return error(400, "InvalidPart");
    }
    whole.content += part->second.content;
    const Sha256 digest = sha256(part->second.content);
    digests.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  whole.etag = etagOf(whole.content);
  whole.checksum = base64Of(sha256(digests)) + "-" + std::to_string(count);
  objects_[upload.key] = whole;
  uploads_.erase(id);
  Reply reply;
  reply.body = "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>";
  return reply;
}

FakeS3::Reply FakeS3::listObjects(const Request& request) {
  const std::string prefix = parameterOf(request, "prefix");
  const std::string after = parameterOf(request, "continuation-token");
  Reply reply;
  std::string next;
  std::string last;
  std::size_t listed = 0;
  for (auto at = objects_.lower_bound(std::max(prefix, after));
       at != objects_.end() && at->first.starts_with(prefix); ++at) {
    if (at->first == after) continue;
    if (listed++ == kPageSize) {
      next = last;
      break;
    }
    last = at->first;
    reply.body += "<Contents><Key>" + last +
                  "</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>";
  }
  reply.body = "<ListBucketResult><IsTruncated>" + std::string(next.empty() ? "false" : "true") +
               "</IsTruncated><NextContinuationToken>" + next + "</NextContinuationToken>" +
               reply.body + "</ListBucketResult>";
  return reply;
}

FakeS3::Reply FakeS3::listUploads(const Request& request) {
  const std::string prefix = parameterOf(request, "prefix");
  Reply reply;
  for (const auto& [id, upload] : uploads_) {
    if (!upload.key.starts_with(prefix)) continue;
    reply.body += "<Upload><Key>" + upload.key + "</Key><UploadId>" + id +
                  "</UploadId><Initiated>" + formatTimestamp(upload.started_at) +
                  "</Initiated></Upload>";
  }
  reply.body = "<ListMultipartUploadsResult>" + reply.body + "</ListMultipartUploadsResult>";
  return reply;
}

}  // namespace spindle::s3
