#include "app/server/default_model.h"

#include <system_error>

#include "app/server/program_folder.h"

namespace spindle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNone = "none";
constexpr const char* kFile = "spindle-nano.gguf";

bool isFile(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

}  // namespace

std::string defaultModelFile(const fs::path& setting) {
  if (setting == kNone) return {};
  if (!setting.empty()) return fs::absolute(setting).string();
  std::error_code failed;
  const fs::path program = programFolder();
  const fs::path working = fs::current_path(failed);
  const fs::path candidates[] = {
      program / kFile, program.parent_path() / "share" / "spindle" / kFile,
      program.parent_path().parent_path() / "models" / kFile, working / "models" / kFile};
  for (const fs::path& candidate : candidates) {
    if (isFile(candidate)) return candidate.string();
  }
  return {};
}

Result<bool> addDefaultModel(inference::CatalogueRepository& catalogue, const std::string& file) {
  const std::int64_t revision = TRY(catalogue.revision());
  if (file.empty() || revision > inference::CatalogueRepository::kFirstRevision) return false;
  inference::Model model;
  model.name = fs::path(file).stem().string();
  model.file = file;
  const Result<inference::Model> made = catalogue.insertModel(std::move(model));
  // Another server on the same database has added the model.
  if (!made && made.error().code() == ErrorCode::kConflict) return false;
  if (!made) return made.error();
  return true;
}

}  // namespace spindle::app
