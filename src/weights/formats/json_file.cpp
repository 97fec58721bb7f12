#include "weights/formats/json_file.h"

#include <utility>
#include <variant>

#include "weights/formats/file_name.h"
#include "weights/formats/mapped_file.h"

namespace spindle::weights {

Result<json::Document> readJsonFile(const std::string& path, std::size_t largest) {
  const MappedFile file = TRY(MappedFile::open(path));
  if (file.bytes().size() > largest) {
    return Error::invalidArgument(fileNameOf(path) + " is longer than " + std::to_string(largest) +
                                  " bytes.");
  }
  std::variant<json::Document, json::SyntaxError> parsed =
      json::Document::parse(std::string(file.bytes()));
  if (const auto* problem = std::get_if<json::SyntaxError>(&parsed)) {
    return Error::invalidArgument(fileNameOf(path) + " is not JSON: " + problem->message +
                                  " at character " + std::to_string(problem->position) + ".");
  }
  return std::get<json::Document>(std::move(parsed));
}

}  // namespace spindle::weights
