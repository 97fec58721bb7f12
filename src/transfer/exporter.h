#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "storage/data_folder.h"
#include "transfer/call_server.h"
#include "transfer/manifest.h"
#include "transfer/progress.h"

namespace spindle::transfer {

struct ExportOptions {
  ExportRange range;
  std::string folder;
  std::int64_t calls_per_part = 50'000;
};

struct ExportOutcome {
  std::int64_t calls = 0;  ///< in the folder
  std::size_t parts = 0;
  std::int64_t fresh = 0;        ///< calls that this run fetched
  bool finished_before = false;  ///< there was nothing to do
};

/// Copies the calls of a project into files of a folder, part by part. A part appears under its
/// name when it is whole and on disk, and the manifest follows it, so that a run that was cut off
/// at any moment is taken up by the next one where it stopped. Memory does not grow with the calls.
class Exporter {
 public:
  /// All three outlive the exporter.
  Exporter(CallServer& server, Pause pause, Progress& progress)
      : server_(server), pause_(std::move(pause)), progress_(progress) {}

  /// @return kInvalidArgument when the folder holds something else, kUpstream or another error of
  /// the connection, kUnavailable when a file cannot be written.
  /// @throws std::runtime_error when the folder cannot be made or the manifest not be written.
  Result<ExportOutcome> run(const ExportOptions& options);

 private:
  Result<std::int64_t> count(const ExportRange& range);
  /// Fetches the next page. @return whether there may be more.
  Result<bool> fetchPart(const ExportOptions& options,
                         const storage::DataFolder& folder,
                         Manifest& manifest);

  CallServer& server_;
  Pause pause_;
  Progress& progress_;
};

}  // namespace spindle::transfer
