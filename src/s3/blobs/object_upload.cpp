#include "s3/blobs/object_upload.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "s3/blobs/log.h"

namespace spindle::s3 {
namespace {

constexpr int kUploadAttempts = 2;

std::string base64Name(const Sha256& name) {
  return encodeBase64({reinterpret_cast<const char*>(name.data()), name.size()});
}

/// Reads an object and compares it with its name.
Result<bool> readsIntact(BucketAccess& access, const Sha256& name, const ObjectHead& head) {
  if (access.verified.contains(name, stampOf(head))) return true;
  const std::string key = access.keyOf(name);
  Sha256Stream hash;
  for (std::uint64_t at = 0; at < head.size;) {
    const ObjectPart part = TRY(access.client.get(key, at, kWindow, head.etag));
    if (part.bytes.empty()) return false;
    hash.add(part.bytes);
    at += part.bytes.size();
  }
  if (hash.finish() != name) return false;
  access.verified.add(name, stampOf(head));
  return true;
}

/// Returns true if the object of the content exists and has its bytes.
Result<bool> isStored(BucketAccess& access, const ContentDigests& digests) {
  const Result<ObjectHead> head = access.client.head(access.keyOf(digests.name));
  if (!head && head.error().code() == ErrorCode::kNotFound) return false;
  if (!head) return head.error();
  if (head->size != digests.size) return false;
  if (head->checksum == base64Name(digests.name)) return true;
  if (head->checksum == digests.partsChecksum()) return true;
  // The server has computed no checksum, or that of other parts.
  return readsIntact(access, digests.name, *head);
}

/// Removes the parts of an upload that failed.
class OpenedUpload {
 public:
  OpenedUpload(S3Client& client, std::string key, std::string id)
      : client_(client), key_(std::move(key)), id_(std::move(id)) {}
  ~OpenedUpload() {
    if (done_) return;
    const Result<void> aborted = client_.abortUpload(key_, id_);
    if (!aborted) kLog.warning("upload_not_aborted", {{"why", aborted.error().message()}});
  }
  OpenedUpload(const OpenedUpload&) = delete;
  OpenedUpload& operator=(const OpenedUpload&) = delete;

  const std::string& id() const { return id_; }
  void setDone() { done_ = true; }

 private:
  S3Client& client_;
  const std::string key_;
  const std::string id_;
  bool done_ = false;
};

Result<void> uploadInParts(BucketAccess& access, const Content& content) {
  const ContentDigests& digests = content.digests;
  const std::string key = access.keyOf(digests.name);
  std::string id = TRY(access.client.beginUpload(key));
  OpenedUpload upload(access.client, key, std::move(id));
  std::vector<UploadedPart> parts;
  parts.reserve(digests.parts.size());
  for (std::size_t i = 0; i < digests.parts.size(); ++i) {
    const std::uint64_t start = i * kPartSize;
    Body body;
    body.size = std::min(kPartSize, digests.size - start);
    body.digest = digests.parts[i];
    body.read = [&content, start](std::uint64_t offset, std::size_t most) {
      return content.read(start + offset, most);
    };
    UploadedPart part =
        TRY(access.client.uploadPart(key, upload.id(), static_cast<int>(i) + 1, body));
    parts.push_back(std::move(part));
  }
  const Result<void> completed = access.client.completeUpload(key, upload.id(), parts);
  if (completed) {
    upload.setDone();
    return {};
  }
  // A repeated request for a completed upload fails too.
  const Result<bool> stored = isStored(access, digests);
  if (!stored || !*stored) return completed.error();
  upload.setDone();
  return {};
}

Result<void> uploadLarge(BucketAccess& access, const Content& content) {
  for (int attempt = 1;; ++attempt) {
    const Result<void> uploaded = uploadInParts(access, content);
    if (uploaded) break;
    if (uploaded.error().reason() != kLostPart || attempt == kUploadAttempts) return uploaded;
    kLog.warning("upload_repeated", {{"why", uploaded.error().message()}});
  }
  const bool stored = TRY(isStored(access, content.digests));
  if (stored) return {};
  return Error::unavailable("the object that the S3 server made of the parts has other content")
      .because(kWrongChecksum);
}

Result<void> uploadSmall(BucketAccess& access, const Content& content) {
  Body body;
  body.size = content.digests.size;
  body.digest = content.digests.name;
  body.read = content.read;
  const std::string key = access.keyOf(content.digests.name);
  using Overwrite = S3Client::Overwrite;
  const Result<void> stored = access.client.put(key, body, Overwrite::kRefused);
  if (stored) return stored;
  if (stored.error().code() == ErrorCode::kPreconditionFailed) {
    const bool is_stored = TRY(isStored(access, content.digests));
    if (is_stored) return {};
  } else if (stored.error().reason() != kNotImplemented) {
    return stored;
  }
  return access.client.put(key, body, Overwrite::kAllowed);
}

}  // namespace

Result<void> storeObject(BucketAccess& access, const Content& content, Expected expected) {
  const bool is_large = content.digests.size > kPartSize;
  if (expected == Expected::kPresent || is_large) {
    const bool stored = TRY(isStored(access, content.digests));
    if (stored) return {};
  }
  return is_large ? uploadLarge(access, content) : uploadSmall(access, content);
}

}  // namespace spindle::s3
