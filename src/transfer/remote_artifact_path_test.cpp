#include "transfer/remote_artifact_path.h"

#include <gtest/gtest.h>

namespace spindle::transfer {
namespace {

std::string pathOf(std::string_view text) {
  const Result<RemoteArtifactPath> path = parseRemoteArtifactPath(text);
  if (!path) return "-";
  return path->collection.empty() ? path->parentPath() : path->versionPath();
}

TEST(RemoteArtifactPath, ParsesEveryForm) {
  EXPECT_EQ(pathOf("team/lab"), "/api/v1/projects/team/lab");
  EXPECT_EQ(pathOf("team/lab/data"), "/api/v1/projects/team/lab/collections/data/versions/latest");
  EXPECT_EQ(pathOf("team/lab/my data:v3"),
            "/api/v1/projects/team/lab/collections/my%20data/versions/v3");
  EXPECT_EQ(pathOf("svc-registry-models"), "/api/v1/registries/models");
  EXPECT_EQ(pathOf("svc-registry-models/net:prod"),
            "/api/v1/registries/models/collections/net/versions/prod");
  EXPECT_EQ(pathOf("organization/svc-registry-models/net"),
            "/api/v1/registries/models/collections/net/versions/latest");
}

TEST(RemoteArtifactPath, RejectsOtherText) {
  for (const char* text : {"", "name", "a/b/c/d", "a//b", "/a/b", "a/b/", "a/b:v1",
                           "a/b/c:", "svc-registry-models/a/b", "svc-registry-models:v1"}) {
    EXPECT_EQ(pathOf(text), "-") << text;
  }
}

TEST(RemoteArtifactPath, DetectsUnsafePaths) {
  for (const char* path : {"a", "a/b.txt", "a..b", "dir/..c"}) EXPECT_EQ(unsafeReason(path), "");
  for (const char* path : {"", "/a", "..", "a/../b", "a//b", "./a", "a\\b"}) {
    EXPECT_NE(unsafeReason(path), "") << path;
  }
}

}  // namespace
}  // namespace spindle::transfer
