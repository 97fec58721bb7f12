#include "app/commands/command_output.h"

#include <cstdio>

#include <fmt/format.h>

namespace spindle::app {

void print(const CommandOutput& output, bool json) {
  std::string text;
  if (!output.table.headings.empty()) {
    text = json ? renderJsonLines(output.table) : renderText(output.table);
  }
  text += output.text;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(const NotedTable& output, bool json) {
  const std::string text = json ? renderJsonLines(output.table) : renderText(output.table);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!output.note.empty() && !json) std::printf("%s\n", output.note.c_str());
}

std::string counted(std::int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace spindle::app
