#include "app/migrate/file_move.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "app/migrate/or_throw.h"
#include "base/crypto/digest_stream.h"
#include "storage/blobs/blob_copy.h"

namespace spindle::app {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::string_view kFilesFailed = "cannot move the files";

storage::BlobsDone countFilesInto(transfer::Progress& progress, std::int64_t& done) {
  return [&progress, &done](std::int64_t blobs, std::int64_t /*bytes*/) {
    done += blobs;
    progress.update(done);
  };
}

}  // namespace

FileMove::FileMove(storage::BlobStore& from, storage::BlobStore& to, const MigrateOptions& options)
    : from_(from),
      to_(to),
      options_(options),
      names_(orThrow(storage::listBlobs(from), kFilesFailed)) {}

void FileMove::copy() {
  std::int64_t done = 0;
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kFiles);
  progress->begin(0, static_cast<std::int64_t>(names_.size()));
  orThrow(storage::copyBlobs(from_, to_, names_, kThreads, countFilesInto(*progress, done)),
          kFilesFailed);
}

StoreReport FileMove::verify() {
  StoreReport report;
  std::int64_t done = 0;
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kFiles);
  progress->begin(0, static_cast<std::int64_t>(names_.size()));
  const std::vector<Sha256> damaged = orThrow(
      storage::checkBlobs(to_, names_, kThreads, countFilesInto(*progress, done)), kFilesFailed);
  Sha256Stream digest;
  for (const Sha256& name : names_) digest.add(toHex(name));
  report.items = static_cast<std::int64_t>(names_.size());
  report.digest = toHex(digest.finish());
  for (const Sha256& name : damaged)
    report.differences.push_back("file " + toHex(name) + " is missing or damaged in the target");
  return report;
}

}  // namespace spindle::app
