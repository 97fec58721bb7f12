#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "s3/client/credentials.h"

namespace spindle::s3 {

/// Names and values, not encoded.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// The parts of a request that AWS signature version 4 covers.
struct SignedRequest {
  std::string_view method;  ///< `PUT`
  std::string host;         ///< the Host field, with its port unless it is that of the scheme
  std::string path;         ///< percent-encoded, as sent: `/bucket/blobs/ab/…`
  Fields query;
  Fields headers;            ///< the fields to sign besides Host; names in lower case
  std::string payload_hash;  ///< hexadecimal SHA-256 of the body, or `UNSIGNED-PAYLOAD`
};

/// Returns a query in the form in which it is signed: encoded and sorted by name.
std::string canonicalQuery(const Fields& query);

/// Returns `20130524T000000Z`.
std::string signingTime(Timestamp time);

/// Returns the value of the Authorization field. `request.headers` must contain x-amz-date, the
/// result of signingTime(), and x-amz-content-sha256.
std::string authorization(const SignedRequest& request,
                          const Credentials& credentials,
                          std::string_view region,
                          Timestamp time);

/// Returns the query of a URL that everybody can use until it expires, without headers: the given
/// query and the signature.
std::string presignedQuery(SignedRequest request,
                           const Credentials& credentials,
                           std::string_view region,
                           Timestamp time,
                           std::chrono::seconds valid);

}  // namespace spindle::s3
