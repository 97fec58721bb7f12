#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/crypto/secret.h"

namespace spindle::s3 {

/// An access key of an S3 server.
struct Credentials {
  std::string access_key_id;
  Secret secret_access_key;
  Secret session_token;  ///< empty for a long-lived key
};

/// Parses a credentials file: the keys aws_access_key_id, aws_secret_access_key and
/// aws_session_token of the section `[default]`, or of a file without sections.
/// @return kInvalidArgument with the missing key; never contains values of the file.
Result<Credentials> parseCredentials(std::string_view text);

/// The source of the access key: a file, read again after it has changed so that keys can be
/// rotated without a restart, or the environment variables AWS_ACCESS_KEY_ID,
/// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, read once. Thread-safe.
class CredentialSource {
 public:
  /// Returns the value of an environment variable, or null.
  using Environment = std::function<const char*(const char* name)>;

  /// `file` is empty for the environment.
  explicit CredentialSource(std::string file);
  CredentialSource(std::string file, const Environment& environment);

  /// @return kUnavailable (`s3_no_credentials`) with a message for the operator.
  Result<Credentials> current();

 private:
  /// Identifies one state of the file.
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };

  Result<Credentials> fromFile();

  const std::string file_;
  Mutex mutex_;
  std::optional<Stamp> stamp_ SPINDLE_GUARDED_BY(mutex_);
  Result<Credentials> known_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::s3
