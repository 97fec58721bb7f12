#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/values/ref_projects_for_test.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {

/// Maps `team/app` to prj_1; knows no other project.
class ProjectsForTest final : public objects::OneProjectForTest {
 public:
  ProjectsForTest() : OneProjectForTest("team/app", "prj_1") {}
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
