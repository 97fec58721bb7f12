#include "s3/client/signature.h"

#include <algorithm>

#include "base/core/ascii.h"
#include "base/crypto/crypto.h"
#include "http/message/uri.h"

namespace spindle::s3 {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string_view bytesOf(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Returns `20130524/us-east-1/s3/aws4_request`.
std::string scopeOf(std::string_view day, std::string_view region) {
  return std::string(day) + "/" + std::string(region) + "/s3/aws4_request";
}

/// Returns `host;x-amz-date` and the header block that belongs to it.
std::pair<std::string, std::string> canonicalHeaders(const SignedRequest& request) {
  Fields fields = request.headers;
  fields.emplace_back("host", request.host);
  std::sort(fields.begin(), fields.end());
  std::string names;
  std::string block;
  for (const auto& [name, value] : fields) {
    if (!names.empty()) names += ';';
    names += name;
    block += name + ":" + std::string(trimmed(value)) + "\n";
  }
  return {names, block};
}

std::string signatureOf(const SignedRequest& request,
                        const Credentials& credentials,
                        std::string_view region,
                        std::string_view stamp) {
  const auto [names, block] = canonicalHeaders(request);
  const std::string canonical = std::string(request.method) + "\n" + request.path + "\n" +
                                canonicalQuery(request.query) + "\n" + block + "\n" + names + "\n" +
                                request.payload_hash;
  const std::string_view day = stamp.substr(0, 8);
  const std::string to_sign = std::string(kAlgorithm) + "\n" + std::string(stamp) + "\n" +
                              scopeOf(day, region) + "\n" + toHex(sha256(canonical));
  const Secret first("AWS4" + std::string(credentials.secret_access_key.reveal()));
  const Sha256 of_day = hmacSha256(first.reveal(), day);
  const Sha256 of_region = hmacSha256(bytesOf(of_day), region);
  const Sha256 of_service = hmacSha256(bytesOf(of_region), "s3");
  const Sha256 key = hmacSha256(bytesOf(of_service), "aws4_request");
  return toHex(hmacSha256(bytesOf(key), to_sign));
}

}  // namespace

std::string canonicalQuery(const Fields& query) {
  Fields encoded;
  encoded.reserve(query.size());
  for (const auto& [name, value] : query) {
    encoded.emplace_back(http::percentEncode(name), http::percentEncode(value));
  }
  std::sort(encoded.begin(), encoded.end());
  std::string text;
  for (const auto& [name, value] : encoded) {
    if (!text.empty()) text += '&';
    text += name + "=" + value;
  }
  return text;
}

std::string signingTime(Timestamp time) {
  // 2013-05-24T00:00:00Z without separators
  std::string text;
  for (const char c : formatTimestamp(std::chrono::floor<std::chrono::seconds>(time))) {
    if (c != '-' && c != ':') text += c;
  }
  return text;
}

std::string authorization(const SignedRequest& request,
                          const Credentials& credentials,
                          std::string_view region,
                          Timestamp time) {
  const std::string stamp = signingTime(time);
  return std::string(kAlgorithm) + " Credential=" + credentials.access_key_id + "/" +
         scopeOf(std::string_view(stamp).substr(0, 8), region) +
         ",SignedHeaders=" + canonicalHeaders(request).first +
         ",Signature=" + signatureOf(request, credentials, region, stamp);
}

std::string presignedQuery(SignedRequest request,
                           const Credentials& credentials,
                           std::string_view region,
                           Timestamp time,
                           std::chrono::seconds valid) {
  const std::string stamp = signingTime(time);
  request.payload_hash = "UNSIGNED-PAYLOAD";
  request.query.emplace_back("X-Amz-Algorithm", kAlgorithm);
  request.query.emplace_back(
      "X-Amz-Credential",
      credentials.access_key_id + "/" + scopeOf(std::string_view(stamp).substr(0, 8), region));
  request.query.emplace_back("X-Amz-Date", stamp);
  request.query.emplace_back("X-Amz-Expires", std::to_string(valid.count()));
  if (!credentials.session_token.empty()) {
    request.query.emplace_back("X-Amz-Security-Token", credentials.session_token.reveal());
  }
  request.query.emplace_back("X-Amz-SignedHeaders", canonicalHeaders(request).first);
  const std::string signature = signatureOf(request, credentials, region, stamp);
  return canonicalQuery(request.query) + "&X-Amz-Signature=" + signature;
}

}  // namespace spindle::s3
