#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "transfer/call_api_client.h"
#include "transfer/call_line.h"
#include "transfer/import_state.h"
#include "transfer/input_files.h"
#include "transfer/progress.h"

namespace spindle::transfer {

struct ImportOptions {
  std::string project;  ///< target project: entity/project
  std::string input;    ///< a folder or a file
  /// The URL of the server. An import into one server does not continue from the state of another.
  std::string url;
  std::string state_file = {};  ///< empty: beside the input
  bool keep_refs = false;
  bool skip_bad = false;  ///< count bad lines instead of stopping at the first
};

struct ImportOutcome {
  std::int64_t calls = 0;
  std::int64_t skipped = 0;
};

/// Sends exported calls to a server in batches. Calls keep their ids, and a call that is sent again
/// replaces itself. An interrupted run is thus continued from the state file, and repeating a whole
/// import changes nothing. The state file is deleted when the import is complete.
class Importer {
 public:
  /// `server` and `progress` must outlive the importer.
  Importer(CallApiClient& server, SleepFunction sleep_for, Progress& progress)
      : server_(server), sleep_for_(std::move(sleep_for)), progress_(progress) {}

  /// Starts or continues the import.
  /// @return kInvalidArgument for an invalid input, for a file that differs from the exported one,
  /// and for the first bad line, with its file and line; kUpstream or another error of the
  /// connection; kUnavailable when a file cannot be read or written.
  /// @throws std::runtime_error when the state cannot be written.
  Result<ImportOutcome> run(const ImportOptions& options);

 private:
  struct Line {
    std::int64_t number = 0;
    ImportCall call;
  };
  using Lines = std::vector<Line>;

  Result<void> resume(const ImportOptions& options, const Input& input);
  void saveState() const;
  Result<void> importFile(const ImportOptions& options, const InputFile& file);
  Result<void> importLines(const ImportOptions& options,
                           const InputFile& file,
                           const std::string& lines_file);
  /// Sends the collected calls and saves that everything up to `last_line` is done.
  Result<void> flush(const ImportOptions& options, Lines& lines, std::int64_t last_line);
  Result<void> sendEnded(const ImportOptions& options, const Line* begin, const Line* end);
  Result<void> sendStarted(const ImportOptions& options, const Line& line);
  /// Returns an error for a bad line, or counts the line if `skip_bad` is set.
  Result<void> reportBadLine(const ImportOptions& options,
                             std::int64_t line,
                             const std::string& reason);

  CallApiClient& server_;
  SleepFunction sleep_for_;
  Progress& progress_;

  // State of the running import.
  std::string state_file_;
  ImportState state_;
};

}  // namespace spindle::transfer
