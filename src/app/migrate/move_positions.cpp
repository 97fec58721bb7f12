#include "app/migrate/move_positions.h"

#include <optional>
#include <sstream>

namespace spindle::app {
namespace {

constexpr std::string_view kFile = "positions";
constexpr std::chrono::milliseconds kWriteInterval{500};

}  // namespace

MovePositions::MovePositions(const storage::DataFolder& folder, std::string move)
    : folder_(folder), move_(std::move(move)) {
  const std::optional<std::string> content = folder_.read(kFile);
  if (!content) return;
  std::istringstream lines(*content);
  std::string line;
  if (!std::getline(lines, line) || line != move_) return;
  exist_ = true;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string family;
    std::string project;
    std::string position;
    if (std::getline(words, family, '\t') && std::getline(words, project, '\t') &&
        std::getline(words, position, '\t'))
      positions_[{family, project}] = position;
  }
}

void MovePositions::reset() {
  positions_.clear();
  write();
}

std::string MovePositions::of(std::string_view family, std::string_view project) const {
  const auto found = positions_.find({std::string(family), std::string(project)});
  return found == positions_.end() ? std::string() : found->second;
}

void MovePositions::set(std::string_view family, std::string_view project, std::string position) {
  positions_[{std::string(family), std::string(project)}] = std::move(position);
  if (std::chrono::steady_clock::now() - written_ >= kWriteInterval) write();
}

void MovePositions::write() {
  std::string content = move_ + "\n";
  for (const auto& [place, position] : positions_)
    content += place.first + "\t" + place.second + "\t" + position + "\n";
  folder_.replace(kFile, content);
  written_ = std::chrono::steady_clock::now();
  exist_ = true;
}

}  // namespace spindle::app
