#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "http/client/client.h"
#include "http/message/message.h"
#include "s3/client/credentials.h"
#include "s3/client/options.h"
#include "s3/client/s3_error.h"
#include "s3/client/signature.h"

namespace spindle::s3 {

/// The bytes of a request body: in memory, or read while they are sent.
struct Body {
  std::uint64_t size = 0;
  Sha256 digest{};  ///< the server compares it with the bytes that it receives
  /// As http::RequestBodySource::read; called again for another attempt.
  std::function<Result<std::string>(std::uint64_t offset, std::size_t most)> read;
};

/// The size and the checksums of an object.
struct ObjectHead {
  std::uint64_t size = 0;
  std::string etag;      ///< with its quotes; identifies one state of the object
  std::string checksum;  ///< Base64 SHA-256, of a multipart object `<of the parts>-<count>`; may be
                         ///< empty
};

struct ObjectPart {
  ObjectHead head;  ///< of the whole object, without a checksum
  std::string bytes;
};

struct ListedObject {
  std::string key;
  Timestamp changed_at;
};

struct ObjectPage {
  std::vector<ListedObject> objects;
  std::string next;  ///< continues the list; empty at its end
};

struct UploadedPart {
  std::string etag;
  Sha256 digest{};
};

struct OpenUpload {
  std::string key;
  std::string id;
  Timestamp started_at;
};

/// Requests to one bucket, signed with AWS signature version 4. Repeats a request after a timeout,
/// a broken connection or a 5xx status, with increasing pauses, for at most
/// BucketOptions::attempts and kRetryWindow. Thread-safe; calls block: worker threads only.
///
/// Errors: kNotFound for a missing object; kInvalidArgument for a range after the end of one;
/// kPreconditionFailed; kStorageFull; otherwise kUnavailable with a reason of s3_error.h. Messages
/// are for the operator, not for API clients.
class S3Client {
 public:
  /// `clock` must outlive the client. @throws std::runtime_error for an invalid endpoint, without
  /// credentials, or if the CA file cannot be read.
  S3Client(BucketOptions options, const Clock& clock);

  const BucketOptions& options() const { return options_; }

  enum class Overwrite { kAllowed, kRefused };
  /// Stores an object. The server refuses bytes that do not match the digest.
  /// @return kPreconditionFailed if the object exists and must not be overwritten.
  Result<void> put(const std::string& key, const Body& body, Overwrite overwrite);

  /// Reads up to `most` bytes from `offset`. With an `etag`, fails with kPreconditionFailed if the
  /// object has changed. Reads nothing from an empty object.
  Result<ObjectPart> get(const std::string& key,
                         std::uint64_t offset,
                         std::size_t most,
                         const std::string& etag = {});
  Result<ObjectHead> head(const std::string& key);
  /// Deletes an object. Does nothing if it does not exist.
  Result<void> remove(const std::string& key);
  /// Lists up to 1000 objects in the order of their keys.
  Result<ObjectPage> list(const std::string& prefix, const std::string& next);

  /// Begins a multipart upload. @return its id.
  Result<std::string> beginUpload(const std::string& key);
  /// Uploads a part, numbered from 1.
  Result<UploadedPart> uploadPart(const std::string& key,
                                  const std::string& upload,
                                  int number,
                                  const Body& body);
  /// @return kUnavailable (`s3_lost_part`) if the server does not have all parts.
  Result<void> completeUpload(const std::string& key,
                              const std::string& upload,
                              const std::vector<UploadedPart>& parts);
  /// Removes the parts of an upload. Does nothing if it does not exist.
  Result<void> abortUpload(const std::string& key, const std::string& upload);
  /// Lists up to 1000 uploads that were begun and not completed.
  Result<std::vector<OpenUpload>> openUploads(const std::string& prefix);

  /// Returns a URL with which everybody can read an object until it expires.
  Result<std::string> presignedGet(const std::string& key,
                                   std::chrono::seconds valid,
                                   Fields query);

 private:
  struct Exchange {
    http::Method method = http::Method::kGet;
    std::string_view operation;  ///< for messages: `PUT object`
    std::string key;             ///< empty for the bucket
    Fields query;
    Fields headers;  ///< x-amz-… in lower case, and others
    Body body;
    std::string text;  ///< a small body instead of `body`
  };

  std::string host() const;
  std::string pathOf(const std::string& key) const;
  Result<http::ClientRequest> signedRequest(const Exchange& exchange);
  /// Sends a request until it succeeds or must not be repeated. @return a response with status 2xx.
  Result<http::Response> send(const Exchange& exchange);

  const BucketOptions options_;
  const Clock& clock_;
  std::string scheme_;     ///< `https://`
  std::string authority_;  ///< of the endpoint
  std::string base_path_;  ///< of the endpoint, without a slash at its end
  CredentialSource credentials_;
  http::Client client_;
};

/// Returns a body that reads `bytes`, which must stay valid during the request.
Body bodyOf(std::string_view bytes, const Sha256& digest);

}  // namespace spindle::s3
