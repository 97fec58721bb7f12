#include "tracing/routes/json_lines.h"

#include <utility>

namespace spindle::tracing {

using http::BodyStream;

Result<std::shared_ptr<BodyStream>> jsonLinesBody(
    std::function<Result<std::vector<std::string>>()> next) {
  std::vector<std::string> first = TRY(next());
  struct State {
    std::function<Result<std::vector<std::string>>()> next;
    std::vector<std::string> lines;
  };
  auto state = std::make_shared<State>();
  state->next = std::move(next);
  state->lines = std::move(first);
  return std::shared_ptr<BodyStream>(
      std::make_shared<http::PulledBody>([state](std::string& piece) {
        piece.clear();
        if (state->lines.empty()) {
          state->next = nullptr;
          return BodyStream::State::kEnd;
        }
        for (const std::string& line : state->lines) piece.append(line).append("\n");
        Result<std::vector<std::string>> more = state->next();
        if (!more) return BodyStream::State::kBroken;
        state->lines = *std::move(more);
        return BodyStream::State::kChunk;
      }));
}

}  // namespace spindle::tracing
