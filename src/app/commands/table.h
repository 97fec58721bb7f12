#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::app {

/// One value of a table, as text and as JSON.
class Cell {
 public:
  Cell(std::string text);  // NOLINT: rows are written as lists of values
  Cell(const char* text) : Cell(std::string(text)) {}  // NOLINT: so are literals
  Cell(const std::optional<std::string>& text);        // NOLINT: not set: `-` and null
  static Cell boolean(bool value);                     ///< `yes` or `no`; true or false
  static Cell number(double value);
  static Cell integer(std::int64_t value);

  const std::string& text() const { return text_; }
  const std::string& json() const { return json_; }

 private:
  Cell(std::string text, std::string json) : text_(std::move(text)), json_(std::move(json)) {}

  std::string text_;
  std::string json_;
};

/// Rows and headings that a command prints.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows;
};

/// Returns aligned columns under upper-case headings; nothing for a table without headings.
std::string renderText(const Table& table);
/// Returns one line with a JSON object per row; the headings are the keys.
std::string renderJsonLines(const Table& table);

}  // namespace spindle::app
