#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "storage/folder/data_folder.h"
#include "transfer/call_api_client.h"
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
  bool finished_before = false;  ///< the export was complete already
};

/// Exports the calls of a project to files of a folder, part by part. A part gets its name when it
/// is complete and on disk, and the manifest is updated after it. The next run thus continues a run
/// that was interrupted at any moment. Memory use does not depend on the number of calls.
class Exporter {
 public:
  /// `server` and `progress` must outlive the exporter.
  Exporter(CallApiClient& server, SleepFunction sleep_for, Progress& progress)
      : server_(server), sleep_for_(std::move(sleep_for)), progress_(progress) {}

  /// Starts or continues the export.
  /// @return kInvalidArgument when the folder contains something else, kUpstream or another error
  /// of the connection, kUnavailable when a file cannot be written.
  /// @throws std::runtime_error when the folder cannot be created or the manifest cannot be
  /// written.
  Result<ExportOutcome> run(const ExportOptions& options);

 private:
  Result<std::int64_t> count(const ExportRange& range);
  /// Fetches the next page. @return true if more calls may follow.
  Result<bool> fetchPart(const ExportOptions& options,
                         const storage::DataFolder& folder,
                         Manifest& manifest);

  CallApiClient& server_;
  SleepFunction sleep_for_;
  Progress& progress_;
};

}  // namespace spindle::transfer
