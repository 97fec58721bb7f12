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
    Place place;
    if (std::getline(words, family, '\t') && std::getline(words, project, '\t') &&
        std::getline(words, place.position, '\t') && words >> place.rows)
      places_[{family, project}] = std::move(place);
  }
}

void MovePositions::reset() {
  places_.clear();
  write();
}

const MovePositions::Place* MovePositions::find(std::string_view family,
                                                std::string_view project) const {
  const auto found = places_.find({std::string(family), std::string(project)});
  return found == places_.end() ? nullptr : &found->second;
}

std::string MovePositions::of(std::string_view family, std::string_view project) const {
  const Place* place = find(family, project);
  return place == nullptr ? std::string() : place->position;
}

std::int64_t MovePositions::rowsOf(std::string_view family, std::string_view project) const {
  const Place* place = find(family, project);
  return place == nullptr ? 0 : place->rows;
}

std::int64_t MovePositions::rows() const {
  std::int64_t sum = 0;
  for (const auto& [key, place] : places_) sum += place.rows;
  return sum;
}

void MovePositions::set(std::string_view family,
                        std::string_view project,
                        std::string position,
                        std::int64_t rows) {
  places_[{std::string(family), std::string(project)}] = {std::move(position), rows};
  if (std::chrono::steady_clock::now() - written_ >= kWriteInterval) write();
}

void MovePositions::write() {
  std::string content = move_ + "\n";
  for (const auto& [key, place] : places_) {
    content += key.first + "\t" + key.second + "\t" + place.position + "\t" +
               std::to_string(place.rows) + "\n";
  }
  folder_.replace(kFile, content);
  written_ = std::chrono::steady_clock::now();
  exist_ = true;
}

}  // namespace spindle::app
