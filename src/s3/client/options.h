#pragma once

#include <chrono>
#include <string>

namespace spindle::s3 {

/// A bucket of an S3 server, and how to reach it.
struct BucketOptions {
  std::string endpoint;  ///< `https://s3.eu-central-1.amazonaws.com`, without the bucket
  std::string bucket;
  std::string region = "us-east-1";
  /// Puts the bucket into the path (`https://host/bucket/key`) instead of the host name.
  bool path_style = true;
  std::string credentials_file;  ///< empty: environment variables
  std::string ca_file;           ///< PEM bundle of trusted certificates; empty: those of the system
  std::chrono::milliseconds timeout{30'000};  ///< for one request, without sending its body
  int attempts = 4;                           ///< of one request
};

/// Time after which no further attempt of a request starts.
inline constexpr std::chrono::seconds kRetryWindow{60};

}  // namespace spindle::s3
