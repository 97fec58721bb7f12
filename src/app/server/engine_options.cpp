#include "app/server/engine_options.h"

#include <filesystem>

#include "app/doctor/machine_checks.h"
#include "app/server/program_folder.h"

namespace spindle::app {
inference::EngineOptions engineOptions(const config::InferenceSettings& settings,
                                       const storage::DataFolder& folder) {
  inference::EngineOptions options;
  options.executable = settings.engine_path.empty()
                           ? (programFolder() / "spindle-engine").string()
                           : std::filesystem::absolute(settings.engine_path).string();
  options.data_folder = folder.path();
  options.temporary_folder = std::filesystem::temp_directory_path().string();
  options.slots = static_cast<std::size_t>(settings.slots);
  options.context = settings.context;
  options.threads = static_cast<int>(settings.threads);
  options.limits.memory = settings.memory > 0 ? settings.memory : Machine::inspect().memory / 2;
  options.limits.adapters = static_cast<std::size_t>(settings.adapters);
  options.limits.idle_unload = settings.idle_unload;
  options.limits.start_timeout = settings.start_timeout;
  options.sandbox = settings.sandbox == config::SandboxMode::kAuto;
  options.adapter_folder = std::filesystem::absolute(folder.fileAt("adapters")).string();
  return options;
}

}  // namespace spindle::app
