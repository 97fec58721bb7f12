#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "http/message/message.h"

namespace spindle::s3 {

// Reasons of errors of an S3 server, in Error::reason(). The messages are for the operator: they
// name the bucket and what to check, and contain no credentials.
inline constexpr std::string_view kNoCredentials = "s3_no_credentials";
inline constexpr std::string_view kDenied = "s3_denied";
inline constexpr std::string_view kNoSuchBucket = "s3_no_such_bucket";
inline constexpr std::string_view kOtherRegion = "s3_other_region";
inline constexpr std::string_view kClockSkew = "s3_clock_skew";
inline constexpr std::string_view kSlow = "s3_slow";
inline constexpr std::string_view kUnreachable = "s3_unreachable";
inline constexpr std::string_view kLostPart = "s3_lost_part";
inline constexpr std::string_view kWrongChecksum = "s3_wrong_checksum";
inline constexpr std::string_view kFull = "s3_full";
inline constexpr std::string_view kFailed = "s3_failed";
inline constexpr std::string_view kNotImplemented = "s3_not_implemented";

/// The error in a response of an S3 server.
struct S3Fault {
  int status = 0;
  std::string code;        ///< `AccessDenied`; empty if the body has none
  std::string message;     ///< of the server, shortened
  std::string request_id;  ///< for the support of the server's operator

  /// Returns true if the same request may succeed later.
  bool isTransient() const;
};

/// Reads the error of a response. `body` is bounded by the caller.
S3Fault faultOf(const http::Response& response);

/// Returns the error for the operator. `operation` is such as `PUT object`, `bucket` its bucket.
Error errorOf(const S3Fault& fault, std::string_view operation, const std::string& bucket);

/// Returns the error of an exchange without a response: a timeout, a refused connection, an invalid
/// certificate.
Error errorOf(const Error& exchange, std::string_view operation, const std::string& endpoint);

}  // namespace spindle::s3
