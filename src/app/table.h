#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::app {

/// One value of a table: as a person reads it, and as a program does.
class Cell {
 public:
  Cell(std::string text);  // NOLINT: rows are written as lists of values
  Cell(const char* text) : Cell(std::string(text)) {}  // NOLINT: so are literals
  Cell(const std::optional<std::string>& text);        // NOLINT: `-`, or null
  static Cell truth(bool value);                       ///< `yes`, or true
  static Cell number(double value);
  static Cell integer(std::int64_t value);

  const std::string& text() const { return text_; }
  const std::string& json() const { return json_; }

 private:
  Cell(std::string text, std::string json) : text_(std::move(text)), json_(std::move(json)) {}

  std::string text_;
  std::string json_;
};

/// What a command lists.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows;
};

/// Aligned columns under headings in capitals; empty for a table without headings.
std::string renderText(const Table& table);
/// One JSON object per row.
std::string renderJsonLines(const Table& table);

}  // namespace spindle::app
