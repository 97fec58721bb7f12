#include "app/commands/standard_input.h"

#include <cstdio>

namespace spindle::app {

std::string standardInput() {
  std::string text;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) text += static_cast<char>(c);
  return text;
}

std::string withoutLineEnd(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace spindle::app
