#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/type.h"
#include "training/data/trajectory_export.h"

namespace spindle::training {

/// The JSON representation of a TrajectorySample.
struct SampleView {
  schema::MapOf<std::string> source;
  std::optional<double> reward;
  std::int64_t bytes = 0;
  std::optional<json::Text> data;
};

/// The JSON representation of an ExportPreview.
struct PreviewView {
  PreviewView() = default;
  PreviewView(const ExportPreview& preview, bool groups);

  bool dry_run = true;
  std::optional<std::int64_t> num_matching;
  std::int64_t num_calls = 0;
  std::int64_t num_trajectories = 0;
  std::int64_t num_lines = 0;
  std::optional<std::int64_t> num_trainable_groups;  ///< only for groups
  std::int64_t num_with_logprobs = 0;
  bool truncated = false;
  Excluded excluded;
  std::optional<RewardSummary> rewards;
  std::vector<SampleView> samples;
};

schema::Codec<PreviewView> previewCodec();

}  // namespace spindle::training
