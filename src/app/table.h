#pragma once

#include <string>
#include <vector>

namespace spindle::app {

/// What a command lists.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

/// Aligned columns under headings in capitals; empty for a table without headings.
std::string renderText(const Table& table);
/// One JSON object per row.
std::string renderJsonLines(const Table& table);

}  // namespace spindle::app
