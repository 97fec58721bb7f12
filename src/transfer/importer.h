#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "transfer/call_line.h"
#include "transfer/call_server.h"
#include "transfer/import_state.h"
#include "transfer/input_files.h"
#include "transfer/progress.h"

namespace spindle::transfer {

struct ImportOptions {
  std::string project;  ///< where the calls go: entity/project
  std::string input;    ///< a folder or a file
  std::string
      url;  ///< of the server: an import into another one does not go on with this one's state
  std::string state_file = {};  ///< empty: beside the input
  bool keep_refs = false;
  bool skip_bad = false;  ///< count bad lines instead of stopping at the first
};

struct ImportOutcome {
  std::int64_t calls = 0;
  std::int64_t skipped = 0;
};

/// Sends exported calls to a server, a batch at a time. Ids stay, and a call that is sent again
/// takes its own place, so that a run that was cut off is taken up where the state file says, and
/// repeating a whole import changes nothing. The state file goes when the import is done.
class Importer {
 public:
  /// Both outlive the importer.
  Importer(CallServer& server, Pause pause, Progress& progress)
      : server_(server), pause_(std::move(pause)), progress_(progress) {}

  /// @return kInvalidArgument for an input that is none, a file that is not what the export wrote,
  /// and the first bad line, by file and line; kUpstream or another error of the connection;
  /// kUnavailable when a file cannot be read or written.
  /// @throws std::runtime_error when the state cannot be written.
  Result<ImportOutcome> run(const ImportOptions& options);

 private:
  struct Line {
    std::int64_t number = 0;
    SendableCall call;
  };
  using Lines = std::vector<Line>;

  Result<void> resume(const ImportOptions& options, const Input& input);
  void saveState() const;
  Result<void> importFile(const ImportOptions& options, const InputFile& file);
  Result<void> importLines(const ImportOptions& options,
                           const InputFile& file,
                           const std::string& lines_file);
  /// Sends what has gathered and notes that everything up to `last_line` is done.
  Result<void> flush(const ImportOptions& options, Lines& lines, std::int64_t last_line);
  Result<void> sendEnded(const ImportOptions& options, const Line* begin, const Line* end);
  Result<void> sendStarted(const ImportOptions& options, const Line& line);
  /// Stops the import, or counts the line.
  Result<void> refuse(const ImportOptions& options, std::int64_t line, const std::string& reason);

  CallServer& server_;
  Pause pause_;
  Progress& progress_;

  // Of the import that runs.
  std::string state_file_;
  ImportState state_;
};

}  // namespace spindle::transfer
