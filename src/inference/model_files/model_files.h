#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "inference/catalogue/catalogue.h"
#include "inference/model_files/model_file_receiver.h"
#include "storage/folder/file_cache.h"

namespace spindle::storage {
class BlobStore;
}

namespace spindle::inference {

/// A pointer to a file on this machine, which stays on disk while the pointer exists.
using LocalFile = std::shared_ptr<const storage::CachedFile>;

/// The model files of the blob store: receives them, and fetches those that this machine needs into
/// a cache folder. The blob store compares the content with its SHA-256 while it is read, so that a
/// file in the cache is complete and undamaged. Thread-safe. One thread of its own fetches, one
/// file after the other; it starts with the first fetch.
class ModelFiles {
 public:
  using Done = std::function<void(Result<LocalFile>)>;

  struct Options {
    std::string folder;                       ///< of the fetched files
    std::string header_folder;                ///< of the files that headerOf() makes
    std::uint64_t most = 0;                   ///< bytes of all fetched files together
    std::uint64_t most_received = 0;          ///< bytes of a received file
    std::chrono::milliseconds pause{10'000};  ///< after a failed fetch, before the next one
  };

  /// `blobs` must outlive this object. @throws std::runtime_error if a folder cannot be used.
  ModelFiles(storage::BlobStore& blobs, Options options);
  /// Calls stop().
  ~ModelFiles();
  ModelFiles(const ModelFiles&) = delete;
  ModelFiles& operator=(const ModelFiles&) = delete;

  /// Ends a running fetch and rejects the waiting ones and all later ones.
  void stop();

  /// Returns a fetched file; null if it must be fetched. Blocks on disk only.
  LocalFile find(const StoredModelFile& file);

  /// Fetches a file, and calls `done` exactly once, now or on the thread of this object; `done`
  /// must not block. Concurrent calls for one file share its fetch.
  /// It receives kUnavailable: with `retry_after` if the store fails, the disk is full or other
  /// files that are in use occupy the cache (`model_cache_full`); `model_cache_too_small` if the
  /// cache is smaller than the file.
  void fetch(const StoredModelFile& file, Done done);

  /// Returns the fetched share of a file, from 0 to 1; 0 if its fetch has not begun.
  double progressOf(const StoredModelFile& file) const;

  /// Returns a file with the metadata and the tensor list of a model's file, in its place: the file
  /// itself, or one of the same length whose tensors are holes. Blocks on the disk and the store.
  /// @return kInvalidArgument if the model has no file; kUpstream, kUnavailable.
  Result<LocalFile> headerOf(const Model& model);

  /// Starts to receive a file; `most` of `expected` is set. @return kStorageFull, kUnavailable.
  Result<std::unique_ptr<ModelFileReceiver>> receive(ExpectedModelFile expected);
  std::uint64_t mostReceived() const { return options_.most_received; }

 private:
  struct Fetch {
    StoredModelFile file;
    std::vector<Done> waiting;
  };
  struct Failure {
    Error error;
    std::chrono::steady_clock::time_point until;
  };

  void run();
  Result<LocalFile> fetchNow(const StoredModelFile& file);
  /// Writes the first `count` bytes of a file to a path. Calls `copied` with the number of bytes.
  Result<void> copy(const StoredModelFile& file,
                    std::int64_t count,
                    const std::string& path,
                    const std::function<void(std::int64_t)>& copied);
  void reportProgress(double progress);

  storage::BlobStore& blobs_;
  const Options options_;
  storage::FileCache files_;
  storage::FileCache headers_;
  std::atomic<bool> stopping_{false};

  mutable Mutex mutex_;
  Condition changed_;
  std::deque<std::string> queue_ SPINDLE_GUARDED_BY(mutex_);  ///< blobs; the first is fetched
  std::map<std::string, Fetch> fetches_ SPINDLE_GUARDED_BY(mutex_);
  std::map<std::string, Failure> failures_ SPINDLE_GUARDED_BY(mutex_);
  double progress_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< of the first blob in the queue
  std::thread thread_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::inference
