#include "inference/model_files/model_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/core/log.h"
#include "base/process/durable_file.h"
#include "storage/blobs/blob_name.h"
#include "storage/blobs/referenced_blob.h"

namespace spindle::inference {
namespace {

using std::chrono::steady_clock;

constexpr Logger kLog("inference");
constexpr std::string_view kEnding = ".gguf";
constexpr std::size_t kPiece = 4UL << 20;
/// Headers have about 10 MiB. They are made again when they are needed.
constexpr std::uint64_t kMostHeaders = 1UL << 30;

std::string nameOf(const StoredModelFile& file) {
  return toHex(storage::parseBlobName(file.blob).value_or(Sha256{}));
}

Error stopping() { return Error::unavailable("The server is stopping, try again later."); }

Error later(std::string_view message, std::chrono::milliseconds pause) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(pause).count();
  return Error::unavailable(message).with("retry_after",
                                          std::to_string(std::max<std::int64_t>(1, seconds)));
}

Error notFetched(std::chrono::milliseconds pause) {
  return later("The file of the model cannot be fetched at the moment, try again later.", pause);
}

Error cacheTooSmall(const StoredModelFile& file, std::uint64_t most) {
  return Error::unavailable("The file of the model has " + std::to_string(file.bytes) +
                            " bytes; the cache of this server may contain " + std::to_string(most) +
                            " (inference.model_cache).")
      .because("model_cache_too_small");
}

Error cacheFull(std::chrono::milliseconds pause) {
  return later(
             "Files of models that are in use occupy the cache of this server "
             "(inference.model_cache).",
             pause)
      .because("model_cache_full");
}

}  // namespace

ModelFiles::ModelFiles(storage::BlobStore& blobs, Options options)
    : blobs_(blobs),
      options_(std::move(options)),
      files_(options_.folder, std::string(kEnding), options_.most),
      headers_(options_.header_folder, std::string(kEnding), kMostHeaders) {}

ModelFiles::~ModelFiles() { stop(); }

void ModelFiles::stop() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
    thread.swap(thread_);
  }
  if (thread.joinable()) thread.join();
}

LocalFile ModelFiles::find(const StoredModelFile& file) { return files_.find(nameOf(file)); }

void ModelFiles::fetch(const StoredModelFile& file, Done done) {
  std::optional<Error> refusal;
  {
    const MutexLock lock(mutex_);
    const auto failed = failures_.find(file.blob);
    if (stopping_) {
      refusal = stopping();
    } else if (failed != failures_.end() && steady_clock::now() < failed->second.until) {
      refusal = failed->second.error;
    } else {
      const auto [entry, fresh] = fetches_.try_emplace(file.blob);
      if (fresh) {
        entry->second.file = file;
        queue_.push_back(file.blob);
      }
      entry->second.waiting.push_back(std::move(done));
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
      changed_.notifyAll();
    }
  }
  if (refusal) done(*std::move(refusal));
}

double ModelFiles::progressOf(const StoredModelFile& file) const {
  const MutexLock lock(mutex_);
  return !queue_.empty() && queue_.front() == file.blob ? progress_ : 0;
}

void ModelFiles::run() {
  while (true) {
    StoredModelFile file;
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) changed_.wait(mutex_);
      if (queue_.empty()) return;
      file = fetches_.at(queue_.front()).file;
      progress_ = 0;
    }
    const Result<LocalFile> fetched = stopping_ ? stopping() : fetchNow(file);
    std::vector<Done> waiting;
    {
      const MutexLock lock(mutex_);
      queue_.pop_front();
      waiting = std::move(fetches_.at(file.blob).waiting);
      fetches_.erase(file.blob);
      const steady_clock::time_point now = steady_clock::now();
      std::erase_if(failures_, [now](const auto& failure) { return failure.second.until <= now; });
      if (!fetched)
        failures_.insert_or_assign(file.blob, Failure{fetched.error(), now + options_.pause});
    }
    for (const Done& done : waiting) done(fetched);
  }
}

Result<LocalFile> ModelFiles::fetchNow(const StoredModelFile& file) {
  const std::string name = nameOf(file);
  if (LocalFile known = files_.find(name)) return known;
  const auto bytes = static_cast<std::uint64_t>(file.bytes);
  if (bytes > options_.most) return cacheTooSmall(file, options_.most);
  if (!files_.makeRoom(bytes)) return cacheFull(options_.pause);
  const steady_clock::time_point began = steady_clock::now();
  Result<LocalFile> fetched = files_.get(name, [&](const std::string& path) {
    return copy(file, file.bytes, path, [&](std::int64_t copied) {
      reportProgress(static_cast<double>(copied) / static_cast<double>(file.bytes));
    });
  });
  if (!fetched) {
    if (stopping_) return stopping();
    kLog.warning("model_file_not_fetched",
                 {{"sha256", name}, {"reason", fetched.error().message()}});
    return notFetched(options_.pause);
  }
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began);
  kLog.info("model_file_fetched",
            {{"sha256", name}, {"bytes", file.bytes}, {"milliseconds", time.count()}});
  return fetched;
}

Result<void> ModelFiles::copy(const StoredModelFile& file,
                              std::int64_t count,
                              const std::string& path,
                              const std::function<void(std::int64_t)>& copied) {
  const std::unique_ptr<storage::BlobReader> reader =
      TRY(storage::openReferenced(blobs_, file.blob));
  if (reader->size() != static_cast<std::uint64_t>(file.bytes)) {
    return Error(ErrorCode::kUpstream,
                 "The stored model file has another size than the catalogue.");
  }
  FileWriter out;
  TRY(out.open(path));
  for (std::int64_t at = 0; at < count;) {
    if (stopping_) return stopping();
    const auto most = static_cast<std::size_t>(std::min<std::int64_t>(kPiece, count - at));
    const std::string piece = TRY(reader->read(static_cast<std::uint64_t>(at), most));
    if (piece.empty()) return Error::unavailable("The stored model file ends too early.");
    TRY(out.add(piece));
    at += static_cast<std::int64_t>(piece.size());
    copied(at);
  }
  return out.close();
}

void ModelFiles::reportProgress(double progress) {
  const MutexLock lock(mutex_);
  progress_ = progress;
}

Result<LocalFile> ModelFiles::headerOf(const Model& model) {
  if (!model.hasFile()) return Error::invalidArgument("The model has no file.");
  if (!model.isStored()) {
    return std::make_shared<const storage::CachedFile>(storage::CachedFile{{}, model.file});
  }
  const StoredModelFile& file = model.stored;
  return headers_.get(nameOf(file), [&](const std::string& path) -> Result<void> {
    TRY(copy(file, std::min(file.header_bytes, file.bytes), path, [](std::int64_t) {}));
    std::error_code failed;
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(file.bytes), failed);
    if (failed) return Error::unavailable("The file of the model cannot be read at the moment.");
    return {};
  });
}

Result<std::unique_ptr<ModelFileReceiver>> ModelFiles::receive(ExpectedModelFile expected) {
  expected.most = options_.most_received;
  std::unique_ptr<storage::BlobWriter> writer = TRY(blobs_.write());
  return std::make_unique<ModelFileReceiver>(std::move(writer), headers_.temporaryPath(), expected);
}

}  // namespace spindle::inference
