#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "storage/folder/data_folder.h"

namespace spindle::app {

/// How far each family and project of a trace store was copied, in a file that survives a crash.
/// Without the file, everything is copied again, which changes nothing in the target.
class MovePositions {
 public:
  /// `folder` must outlive this object. `move` identifies the move: a file of another move is
  /// ignored. @throws std::runtime_error
  MovePositions(const storage::DataFolder& folder, std::string move);

  const std::string& move() const { return move_; }
  /// Returns true if the file of this move exists.
  bool exist() const { return exist_; }
  /// Creates the file without any position.
  void reset();

  /// Returns the position after the copied rows; empty if none were copied.
  std::string of(std::string_view family, std::string_view project) const;
  /// Returns the number of rows before the position.
  std::int64_t rowsOf(std::string_view family, std::string_view project) const;
  /// Returns the number of rows before all positions.
  std::int64_t rows() const;
  /// Writes the file at most twice a second: a crash loses little, and the file may be large.
  void set(std::string_view family,
           std::string_view project,
           std::string position,
           std::int64_t rows);

 private:
  struct Place {
    std::string position;
    std::int64_t rows = 0;  ///< before the position
  };

  /// Returns the place of a family and project, or null.
  const Place* find(std::string_view family, std::string_view project) const;
  void write();

  const storage::DataFolder& folder_;
  const std::string move_;
  bool exist_ = false;
  std::chrono::steady_clock::time_point written_;
  std::map<std::pair<std::string, std::string>, Place> places_;
};

}  // namespace spindle::app
