#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/command_groups.h"
#include "app/commands/console_progress.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::app {
namespace {

std::optional<weights::TensorType> typeOf(const std::string& name) {
  if (name == "f32") return weights::TensorType::kF32;
  if (name == "f16") return weights::TensorType::kF16;
  if (name == "bf16") return weights::TensorType::kBf16;
  if (name == "q8_0") return weights::TensorType::kQ8_0;
  return std::nullopt;
}

/// Returns the last part of a path: `Qwen3-0.6B` for `models/Qwen3-0.6B/`.
std::string nameOf(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

Result<weights::HfImportResult> importWithProgress(weights::HfImport wanted) {
  ConsoleProgress progress(stderr, isatty(STDERR_FILENO) != 0, ProgressUnit::kBytes);
  bool begun = false;
  wanted.progress = [&](std::uint64_t reached, std::uint64_t total) {
    if (!begun) progress.begin(0, static_cast<std::int64_t>(total));
    begun = true;
    progress.update(static_cast<std::int64_t>(reached));
  };
  return weights::importHfFolder(wanted);
}

}  // namespace

int importModel(const ModelCommand& command) {
  weights::HfImport wanted{.folder = command.folder,
                           .file = command.file,
                           .name = command.name.empty() ? nameOf(command.folder) : command.name,
                           .type = typeOf(command.type)};
  const Result<weights::HfImportResult> done = importWithProgress(std::move(wanted));
  if (!done) throw std::runtime_error(done.error().message());
  fmt::print("{}: {} tensors, {:.1f} M parameters\n", command.file, done->tensors,
             static_cast<double>(done->parameters) / 1e6);
  return 0;
}

}  // namespace spindle::app
