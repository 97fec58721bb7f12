#include "s3/blobs/object_reader.h"

#include <algorithm>
#include <utility>

namespace spindle::s3 {
namespace {

class MemoryReader final : public storage::BlobReader {
 public:
  explicit MemoryReader(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::string> read(std::uint64_t offset, std::size_t most) override {
    return offset < bytes_.size() ? bytes_.substr(offset, most) : std::string();
  }
  Result<void> check() override { return {}; }

 private:
  const std::string bytes_;
};

class FileReader final : public storage::BlobReader {
 public:
  FileReader(LocalFile file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  Result<std::string> read(std::uint64_t offset, std::size_t most) override {
    const std::uint64_t left = offset < size_ ? size_ - offset : 0;
    const std::size_t wanted = std::min<std::uint64_t>(most, left);
    std::string bytes = TRY(file_.read(offset, wanted));
    if (bytes.size() == wanted) return bytes;
    return Error::unavailable("Files cannot be reached right now.");  // truncated by somebody
  }
  Result<void> check() override { return {}; }

 private:
  const LocalFile file_;
  const std::uint64_t size_;
};

/// Reads a large object in windows. Until the content is known to match its name, it is hashed
/// while it is read in sequence; a read elsewhere reads everything first.
class ObjectReader final : public storage::BlobReader {
 public:
  ObjectReader(std::shared_ptr<BucketAccess> access, const Sha256& name, ObjectPart first)
      : access_(std::move(access)),
        name_(name),
        key_(access_->keyOf(name)),
        head_(std::move(first.head)),
        checked_(access_->verified.contains(name, stampOf(head_))),
        window_(std::move(first.bytes)) {
    if (checked_) return;
    copy_ = access_->cache.write(head_.size);
    hashWindow();
  }

  std::uint64_t size() const override { return head_.size; }

  Result<std::string> read(std::uint64_t offset, std::size_t most) override {
    if (offset >= head_.size) return std::string();
    if (!checked_ && offset != position_) {
      TRY(check());
    }
    if (copied_) return copied_->read(offset, most);
    const std::size_t wanted = std::min<std::uint64_t>(most, head_.size - offset);
    std::string bytes;
    while (bytes.size() < wanted) {
      const std::uint64_t at = offset + bytes.size();
      if (at < window_at_ || at >= window_at_ + window_.size()) {
        TRY(loadNext(at));
        if (copied_) return copied_->read(offset, most);
      }
      bytes += window_.substr(at - window_at_, wanted - bytes.size());
    }
    position_ = offset + bytes.size();
    return bytes;
  }

  Result<void> check() override {
    if (checked_) return {};
    copy_.reset();  // of the bytes that were read in sequence
    copy_ = access_->cache.write(head_.size);
    hash_ = Sha256Stream();
    hashed_ = 0;
    for (std::uint64_t at = 0; at < head_.size; at += window_.size()) {
      TRY(load(at));
      hashWindow();
    }
    return compareAtEnd();
  }

 private:
  /// Reads the window at an offset before the end, and compares the content with its name if the
  /// window is the last one.
  Result<void> loadNext(std::uint64_t offset) {
    // After a failed read, the window may be behind the bytes that were returned.
    if (!checked_ && offset != hashed_) {
      TRY(check());
      if (copied_) return {};
    }
    TRY(load(offset));
    if (checked_) return {};
    hashWindow();
    return compareAtEnd();
  }

  /// Reads the window at an offset before the end.
  Result<void> load(std::uint64_t offset) {
    Result<ObjectPart> part = access_->client.get(key_, offset, kWindow, head_.etag);
    if (!part) return bucketFailure("read", part.error());
    if (part->head.size != head_.size) return storage::damagedContent(name_);
    window_ = std::move(part->bytes);
    window_at_ = offset;
    return {};
  }

  void hashWindow() {
    hash_.add(window_);
    hashed_ = window_at_ + window_.size();
    if (copy_ && !copy_->append(window_)) copy_.reset();
  }

  /// Compares the content with its name if the window is the last one. No byte of it was returned.
  Result<void> compareAtEnd() {
    if (window_at_ + window_.size() < head_.size) return {};
    if (hash_.finish() != name_) {
      copy_.reset();
      hash_ = Sha256Stream();
      hashed_ = 0;
      position_ = head_.size;  // only check() may continue
      return storage::damagedContent(name_);
    }
    checked_ = true;
    access_->verified.add(name_, stampOf(head_));
    if (!copy_) return {};
    copy_->publish(name_);
    copy_.reset();
    std::optional<LocalFile> file = access_->cache.open(name_);
    if (file) copied_ = readerOf(*std::move(file), head_.size);
    return {};
  }

  const std::shared_ptr<BucketAccess> access_;
  const Sha256 name_;
  const std::string key_;
  const ObjectHead head_;
  bool checked_;
  std::string window_;
  std::uint64_t window_at_ = 0;
  std::uint64_t position_ = 0;  ///< the end of the bytes that were returned in sequence
  Sha256Stream hash_;           ///< of the first `hashed_` bytes, unless checked_
  std::uint64_t hashed_ = 0;
  std::unique_ptr<BlobCache::Writer> copy_;      ///< of the hashed bytes; null without space
  std::unique_ptr<storage::BlobReader> copied_;  ///< the complete copy
};

}  // namespace

std::unique_ptr<storage::BlobReader> readerOf(std::string bytes) {
  return std::make_unique<MemoryReader>(std::move(bytes));
}

std::unique_ptr<storage::BlobReader> readerOf(LocalFile file, std::uint64_t size) {
  return std::make_unique<FileReader>(std::move(file), size);
}

std::unique_ptr<storage::BlobReader> readerOf(std::shared_ptr<BucketAccess> access,
                                              const Sha256& name,
                                              ObjectPart first) {
  return std::make_unique<ObjectReader>(std::move(access), name, std::move(first));
}

}  // namespace spindle::s3
