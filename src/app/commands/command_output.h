#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "app/commands/table.h"
#include "base/core/result.h"
#include "json/document.h"

namespace spindle::app {

/// The output of a command: a table, followed by text.
struct CommandOutput {
  Table table = {};
  std::string text = {};
  std::string note = {};  ///< a last line, not printed with --json
};

/// Returns a JSON document as output.
CommandOutput jsonOutput(const json::Document& document);

/// Prints the output to stdout. `json`: one JSON object per row instead of a table.
void print(const CommandOutput& output, bool json);

/// Executes the action of a command with `Runner(arguments...)`, which has a function call operator
/// for every action, and prints the output. @return the exit status.
/// @throws std::runtime_error with the message of an error.
template <class Runner, class Action, class... Arguments>
int runAction(const Action& action, bool json, Arguments&&... arguments) {
  // The runner may show progress, so it ends before the output begins.
  const Result<CommandOutput> output =
      std::visit(Runner(std::forward<Arguments>(arguments)...), action);
  if (!output) throw std::runtime_error(output.error().message());
  print(*output, json);
  return 0;
}

/// Returns a number with its noun: `1 file`, `2 files`.
std::string counted(std::int64_t number, std::string_view noun);

}  // namespace spindle::app
