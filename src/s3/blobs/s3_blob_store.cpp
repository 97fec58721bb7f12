#include "s3/blobs/s3_blob_store.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <unistd.h>

#include "s3/blobs/log.h"
#include "s3/blobs/object_reader.h"
#include "s3/blobs/object_upload.h"
#include "storage/blobs/verified_blobs.h"

namespace spindle::s3 {
namespace {

using storage::BlobReader, storage::BlobWriter, storage::StoredBlob;
using SteadyClock = std::chrono::steady_clock;

/// An upload that took longer is recorded again, because the collector may regard it as old.
constexpr std::chrono::hours kReservationLimit{1};
constexpr int kStoreRounds = 4;
constexpr std::chrono::milliseconds kErasingPoll{100};

}  // namespace

class S3BlobStore::Writer final : public BlobWriter {
 public:
  Writer(S3BlobStore& store, std::string path, LocalFile file)
      : store_(store), path_(std::move(path)), file_(std::move(file)) {}
  ~Writer() override {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Result<void> append(std::string_view bytes) override {
    TRY(hash_.add(bytes));
    return file_.append(bytes);
  }

  Result<Sha256> finish() override {
    Content content;
    content.digests = hash_.finish();
    content.read = [this](std::uint64_t offset, std::size_t most) {
      return file_.read(offset, most);
    };
    TRY(store_.store(content));
    const Sha256 name = content.digests.name;
    store_.access_->cache.take(std::exchange(path_, {}), name, content.digests.size);
    return name;
  }

 private:
  S3BlobStore& store_;
  std::string path_;  ///< empty after the file was moved into the cache
  LocalFile file_;
  ContentHash hash_;
};

S3BlobStore::S3BlobStore(const S3BlobOptions& options,
                         storage::Database& database,
                         const Clock& clock)
    : clock_(clock),
      direct_urls_(options.direct_urls),
      rows_(database, clock),
      access_(std::make_shared<BucketAccess>(
          options.bucket, clock, options.prefix, options.cache_folder, options.cache_limit)) {}

Result<void> S3BlobStore::requireOwnership() {
  const MutexLock lock(ownership_mutex_);
  if (is_owner_) return {};
  const std::string token = TRY(rows_.owner());
  const std::string key = access_->prefix + "owner";
  Result<ObjectPart> found = access_->client.get(key, 0, kWindow);
  if (!found && found.error().code() == ErrorCode::kNotFound) {
    const Body body = bodyOf(token, sha256(token));
    Result<void> stored = access_->client.put(key, body, S3Client::Overwrite::kRefused);
    if (!stored && stored.error().reason() == kNotImplemented) {
      stored = access_->client.put(key, body, S3Client::Overwrite::kAllowed);
    }
    if (!stored && stored.error().code() != ErrorCode::kPreconditionFailed) {
      return bucketFailure("claim", stored.error());
    }
    found = access_->client.get(key, 0, kWindow);
  }
  if (!found) return bucketFailure("claim", found.error());
  if (found->bytes != token) {
    return bucketFailure(
        "claim", Error::unavailable("the object " + key +
                                    " says that another database uses this prefix: choose another "
                                    "files.s3_prefix, or delete that object if it does not")
                     .because("s3_other_owner"));
  }
  is_owner_ = true;
  return {};
}

Result<void> S3BlobStore::store(const Content& content) {
  TRY(requireOwnership());
  const SteadyClock::time_point started = SteadyClock::now();
  for (int round = 0; round < kStoreRounds; ++round) {
    const SteadyClock::time_point reserved_at = SteadyClock::now();
    BlobRows::Reservation reservation = TRY(rows_.reserve(content.digests.name));
    while (reservation == BlobRows::Reservation::kErasing) {
      if (SteadyClock::now() - started > kErasingWait) {
        return Error::unavailable("The same file is being deleted. Try again in a minute.");
      }
      std::this_thread::sleep_for(kErasingPoll);
      reservation = TRY(rows_.reserve(content.digests.name));
    }
    const Result<void> stored = storeObject(
        *access_, content,
        reservation == BlobRows::Reservation::kNew ? Expected::kMissing : Expected::kPresent);
    if (!stored) return bucketFailure("put", stored.error());
    if (SteadyClock::now() - reserved_at < kReservationLimit) return {};
  }
  return Error::unavailable("The upload of the file takes too long.");
}

Result<Sha256> S3BlobStore::put(std::string_view bytes) {
  ContentHash hash;
  TRY(hash.add(bytes));
  Content content;
  content.digests = hash.finish();
  content.read = [bytes](std::uint64_t offset, std::size_t most) -> Result<std::string> {
    return std::string(bytes.substr(offset, most));
  };
  TRY(store(content));
  return content.digests.name;
}

Result<std::unique_ptr<BlobWriter>> S3BlobStore::write() {
  std::string path = access_->cache.newUploadPath();
  LocalFile file = TRY(LocalFile::create(path));
  return std::unique_ptr<BlobWriter>(
      std::make_unique<Writer>(*this, std::move(path), std::move(file)));
}

Result<std::unique_ptr<BlobReader>> S3BlobStore::open(const Sha256& name) {
  if (std::optional<LocalFile> cached = access_->cache.open(name)) {
    if (const std::optional<storage::FileStamp> stamp = cached->stamp()) {
      return readerOf(*std::move(cached), stamp->size);
    }
  }
  Result<ObjectPart> first = access_->client.get(access_->keyOf(name), 0, kWindow);
  if (!first && first.error().code() == ErrorCode::kNotFound) {
    return Error::notFound("File not found");
  }
  if (!first) return bucketFailure("open", first.error());
  if (first->head.size > first->bytes.size()) return readerOf(access_, name, *std::move(first));
  if (sha256(first->bytes) != name) return storage::damagedContent(name);
  access_->cache.add(name, first->bytes);
  return readerOf(std::move(first->bytes));
}

Result<std::uint64_t> S3BlobStore::size(const Sha256& name) {
  const Result<ObjectHead> head = access_->client.head(access_->keyOf(name));
  if (head) return head->size;
  if (head.error().code() == ErrorCode::kNotFound) return Error::notFound("File not found");
  return bucketFailure("size", head.error());
}

Result<std::optional<std::string>> S3BlobStore::directUrl(const Sha256& name,
                                                          std::chrono::seconds valid) {
  if (!direct_urls_) return std::optional<std::string>();
  Result<std::string> url =
      access_->client.presignedGet(access_->keyOf(name), valid,
                                   {{"response-content-type", "application/octet-stream"},
                                    {"response-content-disposition", "attachment"}});
  if (!url) return bucketFailure("sign", url.error());
  return std::optional<std::string>(*std::move(url));
}

Result<void> S3BlobStore::erase(const Sha256& name) {
  TRY(rows_.markErasing(name));
  return finishErasing(name[0]);
}

Result<bool> S3BlobStore::eraseIfOlder(storage::Session& transaction,
                                       const Sha256& name,
                                       Timestamp before) {
  return rows_.markErasing(transaction, name, before);
}

Result<void> S3BlobStore::finishErasing(std::uint8_t first_byte) {
  const std::vector<BlobRows::Erasure> erasures = TRY(rows_.erasures(first_byte));
  if (erasures.empty()) return {};
  TRY(requireOwnership());
  const SteadyClock::time_point started = SteadyClock::now();
  for (const BlobRows::Erasure& erasure : erasures) {
    access_->cache.remove(erasure.name);
    // Both clocks: one of them continues while the machine is suspended. The next call continues.
    if (clock_.now() - erasure.since > BlobRows::kErasingLimit ||
        SteadyClock::now() - started > BlobRows::kErasingLimit) {
      break;
    }
    const Result<void> removed = access_->client.remove(access_->keyOf(erasure.name));
    if (!removed) return bucketFailure("erase", removed.error());
    TRY(rows_.forget(erasure));
  }
  return {};
}

Result<std::vector<StoredBlob>> S3BlobStore::list(std::uint8_t first_byte) {
  const bool due = TRY(rows_.comparisonDue(first_byte, kComparisonInterval));
  if (due) {
    TRY(compareWithRows(first_byte));
  }
  return rows_.list(first_byte);
}

Result<void> S3BlobStore::compareWithRows(std::uint8_t first_byte) {
  TRY(requireOwnership());
  TRY(adoptObjects(first_byte));
  TRY(abortOldUploads(first_byte));
  return rows_.recordComparison(first_byte);
}

Result<void> S3BlobStore::adoptObjects(std::uint8_t first_byte) {
  const std::string prefix = access_->partPrefix(first_byte);
  std::string next;
  do {
    const Result<ObjectPage> page = access_->client.list(prefix, next);
    if (!page) return bucketFailure("list", page.error());
    std::vector<Sha256> names;
    for (const ListedObject& object : page->objects) {
      const std::optional<Sha256> name = parseHexName(object.key.substr(prefix.size()));
      if (name && (*name)[0] == first_byte) names.push_back(*name);
    }
    const std::int64_t added = TRY(rows_.adopt(names));
    if (added > 0) kLog.info("objects_without_row", {{"count", added}});
    if (page->next == next) break;
    next = page->next;
  } while (!next.empty());
  return {};
}

Result<void> S3BlobStore::abortOldUploads(std::uint8_t first_byte) {
  const Result<std::vector<OpenUpload>> uploads =
      access_->client.openUploads(access_->partPrefix(first_byte));
  if (!uploads && uploads.error().reason() == kNotImplemented) return {};
  if (!uploads) return bucketFailure("list uploads", uploads.error());
  const Timestamp limit = clock_.now() - kUploadLimit;
  for (const OpenUpload& upload : *uploads) {
    if (upload.started_at == Timestamp{} || upload.started_at > limit) continue;
    const Result<void> aborted = access_->client.abortUpload(upload.key, upload.id);
    if (!aborted) return bucketFailure("abort upload", aborted.error());
    kLog.info("upload_removed", {{"started_at", formatTimestamp(upload.started_at)}});
  }
  return {};
}

}  // namespace spindle::s3
