#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/commands/table.h"

namespace spindle::app {

/// The output of a command of a running server: a table, followed by text.
struct CommandOutput {
  Table table = {};
  std::string text = {};
};

/// The output of a command on the data folder: a table with a note.
struct NotedTable {
  Table table;
  std::string note;  ///< a line after the table, only in text output
};

/// Prints the output to stdout. `json`: one JSON object per row instead of a table.
void print(const CommandOutput& output, bool json);
void print(const NotedTable& output, bool json);

/// Returns a number with its noun: `1 file`, `2 files`.
std::string counted(std::int64_t number, std::string_view noun);

}  // namespace spindle::app
