#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backup/take_backup.h"
#include "config/settings.h"
#include "transfer/progress.h"

namespace spindle::app {

/// The parts of a deployment that are moved separately.
enum class MovedStore { kMetadata, kFiles, kTraces };

/// Returns `metadata`, `files`, `traces`.
const char* nameOf(MovedStore store);

/// The unit of a progress display.
enum class MoveUnit { kRows, kFiles };

struct MigrateOptions {
  std::string from;  ///< see settingsOfSide()
  std::string to;
  std::set<MovedStore> only;  ///< empty: all stores that have another place on the other side
  bool start_over = false;    ///< delete what an unfinished move has copied, and begin again
  /// Returns the holder of the data folder of a server that runs with these settings.
  std::function<std::unique_ptr<backup::DataFolderHold>(const config::Settings& settings)> hold;
  /// Returns a display for one phase of the move.
  std::function<std::unique_ptr<transfer::Progress>(MoveUnit unit)> progress;
  /// Receives messages about phases, one line at a time.
  std::function<void(const std::string& line)> say;
};

/// Result of the move and verification of one store.
struct StoreReport {
  MovedStore store = MovedStore::kMetadata;
  std::string from;
  std::string to;
  std::int64_t items = 0;  ///< rows or files of the source
  std::string digest;      ///< of the content of the source; equal for equal content
  std::vector<std::string> differences;
};

struct MigrateReport {
  std::vector<StoreReport> stores;
  std::vector<std::string> notes;  ///< what the operator must do next
  bool finished = false;           ///< everything is moved and equal; servers may start

  bool clean() const;
};

/// Moves the data of one deployment to another, or continues an interrupted move, and compares both
/// sides. Changes nothing on the source. @throws std::runtime_error with a message for the
/// operator; the same command continues the move.
MigrateReport migrateData(const MigrateOptions& options);

}  // namespace spindle::app
