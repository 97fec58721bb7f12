#include "registry/artifacts/artifact_path.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle::registry {
namespace {

std::string shown(std::string_view text) {
  const Result<ArtifactPath> path = parseArtifactPath(text);
  if (!path) return "-";
  if (path->id) {
    return "#" + std::to_string(*path->id) + (path->entry.empty() ? "" : " " + path->entry);
  }
  return path->entity + "|" + path->project + "|" + path->collection + "|" + path->version;
}

TEST(ArtifactPath, ParsesEveryForm) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"name:alias", "||name|alias"},
      {"name", "||name|latest"},
      {"project/name:v3", "|project|name|v3"},
      {"entity/project/name:alias", "entity|project|name|alias"},
      {"entity/project/name", "entity|project|name|latest"},
      {"svc-registry-reg/coll:v3", "|svc-registry-reg|coll|v3"},
      {"org/svc-registry-reg/coll:prod", "org|svc-registry-reg|coll|prod"},
      {"svc-artifact:///entity/project/name:v2", "entity|project|name|v2"},
      {"svc-artifact://_id/" + encodeBase64("Artifact:12"), "#12"},
      {"svc-artifact://" + toHex("Artifact:12") + "/dir/a.txt", "#12 dir/a.txt"}};
  for (const auto& [text, parts] : forms) EXPECT_EQ(shown(text), parts) << text;
}

TEST(ArtifactPath, AcceptsTwoSlashesInsteadOfThree) {
  EXPECT_EQ(shown("svc-artifact://entity/project/name:step3"), "entity|project|name|step3");
  EXPECT_EQ(shown("svc-artifact://entity/project/name"), "entity|project|name|latest");
}

TEST(ArtifactPath, ReportsWhetherTheTextHasAVersion) {
  EXPECT_TRUE(parseArtifactPath("a/b/c:latest")->has_version);
  EXPECT_FALSE(parseArtifactPath("a/b/c")->has_version);
}

TEST(ArtifactPath, RecognizesUris) {
  EXPECT_TRUE(isArtifactUri("svc-artifact:///a/b/c"));
  EXPECT_TRUE(isArtifactUri("svc-artifact://x"));
  EXPECT_FALSE(isArtifactUri("a/b/c"));
  EXPECT_FALSE(isArtifactUri("svc:///a/b"));
}

TEST(ArtifactPath, SplitsAtTheFirstColon) { EXPECT_EQ(shown("a/b/c:d:e"), "a|b|c|d:e"); }

TEST(ArtifactPath, RefusesInvalidTexts) {
  for (const char* text :
       {"", ":", ":v1", "name:", "a/b/c/d", "a//b", "/a", "a/", "svc-artifact:///name:v1",
        "svc-artifact:///a/b/c/d:v1", "svc-artifact://_id/x", "svc-artifact://zz/a",
        "svc-artifact://", "https://example.com/a", "svc-client-artifact://abc/path"}) {
    EXPECT_EQ(shown(text), "-") << text;
  }
  EXPECT_EQ(shown("svc-artifact://_id/" + encodeBase64("Run:12")), "-");
}

TEST(ArtifactPath, IsWrittenById) {
  EXPECT_EQ(artifactUri(12), "svc-artifact://_id/QXJ0aWZhY3Q6MTI=");
  EXPECT_EQ(shown(artifactUri(12)), "#12");
}

}  // namespace
}  // namespace spindle::registry
