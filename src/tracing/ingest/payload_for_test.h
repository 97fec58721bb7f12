#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {

/// Maps `team/app` to prj_1; knows no other project.
class ProjectsForTest final : public objects::RefProjects {
 public:
  Result<std::optional<std::string>> internalOf(std::string_view external) override {
    if (external == "team/app") return std::optional<std::string>("prj_1");
    return std::optional<std::string>();
  }
  Result<std::optional<std::string>> externalOf(std::string_view internal) override {
    if (internal == "prj_1") return std::optional<std::string>("team/app");
    return std::optional<std::string>();
  }
};

/// Collects media in a list.
class MediaForTest final : public MediaStore {
 public:
  Result<std::string> keep(std::string_view bytes, std::string_view media_type) override {
    kept.emplace_back(bytes);
    types.emplace_back(media_type);
    return "svc-trace-internal:///prj_1/object/content:" + std::to_string(kept.size());
  }

  std::vector<std::string> kept;
  std::vector<std::string> types;
};

}  // namespace spindle::tracing
