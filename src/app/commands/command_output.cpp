#include "app/commands/command_output.h"

#include <cstdio>

#include <fmt/format.h>

namespace spindle::app {

CommandOutput jsonOutput(const json::Document& document) {
  return {.text = std::string(document.root().raw()) + "\n"};
}

void print(const CommandOutput& output, bool json) {
  std::string text;
  if (!output.table.headings.empty()) {
    text = json ? renderJsonLines(output.table) : renderText(output.table);
  }
  text += output.text;
  if (!output.note.empty() && !json) text += output.note + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string counted(std::int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace spindle::app
