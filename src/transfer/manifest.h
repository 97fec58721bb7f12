#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::transfer {

inline constexpr const char* kManifestName = "manifest.json";

enum class Format { kJsonLines, kParquet };

/// Returns the file extension of parts: `.jsonl`, `.parquet`.
const char* fileExtension(Format format);

/// The project, time range and format of an export. They identify the export.
struct ExportRange {
  std::string project;                 ///< entity/project
  std::optional<Timestamp> from = {};  ///< only calls that started at this time or later
  std::optional<Timestamp> to = {};    ///< only calls that started before this time
  Format format = Format::kJsonLines;

  bool operator==(const ExportRange&) const = default;
};

/// One file of an export, complete and on disk.
struct Part {
  std::string file;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::string sha256;

  bool operator==(const Part&) const = default;
};

/// The last call that is in a part. Calls are exported by start time, then by id.
struct Cursor {
  Timestamp started_at;
  std::string id;

  bool operator==(const Cursor&) const = default;
};

/// The parts of an export and its progress.
struct Manifest {
  ExportRange range = {};
  std::vector<Part> parts = {};
  std::optional<Cursor> cursor = {};
  bool finished = false;

  std::int64_t calls() const;
  /// Returns the file name of the next part.
  std::string nextPart() const;
};

/// Parses a manifest.
/// @return kInvalidArgument for other text, and for a manifest of a later version.
Result<Manifest> readManifest(std::string text);
std::string writeManifest(const Manifest& manifest);

}  // namespace spindle::transfer
