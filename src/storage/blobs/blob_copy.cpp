#include "storage/blobs/blob_copy.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/core/mutex.h"

namespace spindle::storage {
namespace {

constexpr int kParts = 256;
constexpr std::size_t kPieceBytes = 1UL << 20;

/// Runs a function for many blobs on several threads, until one call fails.
class BlobWorkers {
 public:
  /// Processes one blob and returns its size.
  using Work = std::function<Result<std::int64_t>(const Sha256& name)>;

  BlobWorkers(const std::vector<Sha256>& names, Work work, const BlobsDone& done)
      : names_(names), work_(std::move(work)), done_(done) {}

  Result<void> run(std::size_t threads) {
    {
      std::vector<std::jthread> workers;
      const std::size_t count = std::min(std::max<std::size_t>(1, threads), names_.size());
      for (std::size_t i = 1; i < count; ++i) workers.emplace_back([this] { runWorker(); });
      runWorker();
    }
    const MutexLock lock(mutex_);
    if (failed_) return *failed_;
    return {};
  }

 private:
  void runWorker() {
    while (!stop_) {
      const std::size_t at = next_++;
      if (at >= names_.size()) return;
      const Result<std::int64_t> bytes = work_(names_[at]);
      const MutexLock lock(mutex_);
      if (bytes) {
        done_(1, *bytes);
        continue;
      }
      stop_ = true;
      if (!failed_) failed_ = bytes.error();
    }
  }

  const std::vector<Sha256>& names_;
  const Work work_;
  const BlobsDone& done_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  Mutex mutex_;
  std::optional<Error> failed_ SPINDLE_GUARDED_BY(mutex_);
};

Error named(const Error& error, const Sha256& name) {
  return Error(error.code(), "The file " + toHex(name) + ": " + error.message())
      .because(error.reason());
}

/// Returns true if the content of a blob is missing or wrong.
bool isDamage(const Error& error) {
  return error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kUpstream;
}

Result<std::int64_t> copyBlob(BlobStore& from, BlobStore& to, const Sha256& name) {
  const std::unique_ptr<BlobReader> reader = TRY(from.open(name));
  const std::unique_ptr<BlobWriter> writer = TRY(to.write());
  const std::uint64_t size = reader->size();
  for (std::uint64_t at = 0; at < size;) {
    const std::string piece = TRY(reader->read(at, kPieceBytes));
    if (piece.empty()) return Error::unavailable("The file became shorter while it was read.");
    TRY(writer->append(piece));
    at += piece.size();
  }
  const Sha256 written = TRY(writer->finish());
  if (written != name) return Error::unavailable("The content was changed while it was copied.");
  return static_cast<std::int64_t>(size);
}

}  // namespace

Result<std::vector<Sha256>> listBlobs(BlobStore& store) {
  std::vector<Sha256> names;
  for (int part = 0; part < kParts; ++part) {
    const std::vector<StoredBlob> blobs = TRY(store.list(static_cast<std::uint8_t>(part)));
    for (const StoredBlob& blob : blobs) names.push_back(blob.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> copyBlobs(BlobStore& from,
                       BlobStore& to,
                       const std::vector<Sha256>& names,
                       std::size_t threads,
                       const BlobsDone& done) {
  const std::vector<Sha256> present = TRY(listBlobs(to));
  BlobWorkers workers(
      names,
      [&](const Sha256& name) -> Result<std::int64_t> {
        if (std::binary_search(present.begin(), present.end(), name)) {
          const Result<std::uint64_t> size = to.size(name);
          if (size) return static_cast<std::int64_t>(*size);
        }
        Result<std::int64_t> copied = copyBlob(from, to, name);
        if (copied || isDamage(copied.error())) return copied ? *copied : 0;
        return named(copied.error(), name);
      },
      done);
  return workers.run(threads);
}

Result<std::vector<Sha256>> checkBlobs(BlobStore& store,
                                       const std::vector<Sha256>& names,
                                       std::size_t threads,
                                       const BlobsDone& done) {
  Mutex mutex;
  std::vector<Sha256> damaged;
  BlobWorkers workers(
      names,
      [&](const Sha256& name) -> Result<std::int64_t> {
        const Result<std::unique_ptr<BlobReader>> reader = store.open(name);
        const Result<void> checked = reader ? (*reader)->check() : Result<void>(reader.error());
        if (checked) return static_cast<std::int64_t>((*reader)->size());
        if (!isDamage(checked.error())) return named(checked.error(), name);
        const MutexLock lock(mutex);
        damaged.push_back(name);
        return 0;
      },
      done);
  TRY(workers.run(threads));
  std::sort(damaged.begin(), damaged.end());
  return damaged;
}

}  // namespace spindle::storage
