#include "s3/client/s3_error.h"

#include <algorithm>
#include <initializer_list>

#include "base/core/utf8.h"
#include "s3/client/xml.h"

namespace spindle::s3 {
namespace {

constexpr std::size_t kMostMessage = 200;

bool isOneOf(std::string_view code, std::initializer_list<std::string_view> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

/// Returns a text of the server as one short line of printable characters.
std::string shortened(std::string_view text) {
  std::string out(text.substr(0, kMostMessage));
  if (!isUtf8(out)) out.clear();
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return out;
}

Error unavailable(std::string_view reason, const std::string& message) {
  return Error::unavailable(message).because(reason);
}

}  // namespace

bool S3Fault::isTransient() const {
  return status >= 500 ? status != 501 && status != 505 && status != 507
                       : status == 429 || status == 408 ||
                             isOneOf(code, {"RequestTimeout", "OperationAborted",
                                            "ConditionalRequestConflict", "SlowDown"});
}

S3Fault faultOf(const http::Response& response) {
  S3Fault fault;
  fault.status = response.status;
  fault.request_id = shortened(response.headers.get("x-amz-request-id"));
  const Result<XmlElement> root = parseXml(response.body);
  if (root && root->name == "Error") {
    fault.code = shortened(root->textOf("Code"));
    fault.message = shortened(root->textOf("Message"));
  }
  // A response to HEAD has no body.
  if (fault.code.empty() && fault.status == 403) fault.code = "AccessDenied";
  if (fault.code.empty() && fault.status == 412) fault.code = "PreconditionFailed";
  return fault;
}

Error errorOf(const S3Fault& fault, std::string_view operation, const std::string& bucket) {
  const std::string what = std::string(operation) + " in the bucket " + bucket + ": ";
  const std::string said = fault.code.empty()
                               ? "status " + std::to_string(fault.status)
                               : fault.code + " (" + std::to_string(fault.status) + ")";
  const std::string detail = said + (fault.message.empty() ? "" : ": " + fault.message) +
                             (fault.request_id.empty() ? "" : " [" + fault.request_id + "]");
  if (fault.code == "NoSuchBucket") {
    return unavailable(kNoSuchBucket, "the bucket " + bucket + " does not exist: " + detail);
  }
  if (fault.code == "RequestTimeTooSkewed") {
    return unavailable(kClockSkew, what +
                                       "the clock of this machine differs too much from that of "
                                       "the S3 server; synchronize it: " +
                                       detail);
  }
  if (isOneOf(fault.code, {"PermanentRedirect", "TemporaryRedirect", "Redirect",
                           "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}) ||
      fault.status == 301 || fault.status == 307) {
    return unavailable(kOtherRegion, what +
                                         "the bucket is in another region; check "
                                         "files.s3_endpoint and files.s3_region: " +
                                         detail);
  }
  if (isOneOf(fault.code, {"InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken",
                           "InvalidToken", "TokenRefreshRequired"})) {
    return unavailable(kDenied, what + "the server refuses the credentials: " + detail);
  }
  if (fault.status == 401 || fault.status == 403) {
    return unavailable(kDenied, what + "the credentials do not allow it: " + detail);
  }
  if (isOneOf(fault.code, {"NoSuchUpload", "InvalidPart", "InvalidPartOrder"})) {
    return unavailable(kLostPart, what + "the server lost a part of the upload: " + detail);
  }
  if (isOneOf(fault.code, {"BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch",
                           "XAmzContentChecksumMismatch", "IncompleteBody"})) {
    return unavailable(kWrongChecksum,
                       what + "the server received other bytes than were sent: " + detail);
  }
  if (fault.status == 507 ||
      isOneOf(fault.code, {"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull"})) {
    return Error(ErrorCode::kStorageFull, what + "the S3 server is full: " + detail).because(kFull);
  }
  if (fault.status == 501 || fault.code == "NotImplemented") {
    return unavailable(kNotImplemented, what + "the S3 server does not support it: " + detail);
  }
  if (fault.status == 404 && fault.code != "NoSuchBucket") return Error::notFound("File not found");
  if (fault.status == 416) return Error::invalidArgument(what + detail);
  if (fault.status == 412) return {ErrorCode::kPreconditionFailed, what + detail};
  if (fault.code == "SlowDown" || fault.status == 503 || fault.status == 429) {
    return unavailable(kSlow, what + "the S3 server asks for fewer requests: " + detail);
  }
  return unavailable(kFailed, what + detail);
}

Error errorOf(const Error& exchange, std::string_view operation, const std::string& endpoint) {
  const std::string what = std::string(operation) + " at " + endpoint + ": " + exchange.message();
  if (exchange.code() == ErrorCode::kTimeout) return unavailable(kSlow, what);
  return unavailable(kUnreachable, what);
}

}  // namespace spindle::s3
