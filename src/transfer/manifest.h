#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace spindle::transfer {

inline constexpr const char* kManifestName = "manifest.json";

enum class Format { kJsonLines, kParquet };

/// The ending of the names of parts: `.jsonl`, `.parquet`.
const char* endingOf(Format format);

/// What makes two exports the same one.
struct ExportRange {
  std::string project;                 ///< entity/project
  std::optional<Timestamp> from = {};  ///< calls that started then or later
  std::optional<Timestamp> to = {};    ///< calls that started before
  Format format = Format::kJsonLines;

  bool operator==(const ExportRange&) const = default;
};

/// One file of an export, whole and on disk.
struct Part {
  std::string file;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::string sha256;

  bool operator==(const Part&) const = default;
};

/// The last call that is in a part; calls are exported by start, then by id.
struct Cursor {
  Timestamp started_at;
  std::string id;

  bool operator==(const Cursor&) const = default;
};

/// What stands in an export's folder, and how far it has come.
struct Manifest {
  ExportRange range = {};
  std::vector<Part> parts = {};
  std::optional<Cursor> cursor = {};
  bool finished = false;

  std::int64_t calls() const;
  /// The name of the part that comes next.
  std::string nextPart() const;
};

/// @return kInvalidArgument when the text is no manifest, or one of a later version.
Result<Manifest> readManifest(std::string text);
std::string writeManifest(const Manifest& manifest);

}  // namespace spindle::transfer
