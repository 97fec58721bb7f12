#include "registry/artifacts/manifest.h"

#include <gtest/gtest.h>

#include "registry/artifacts/manifest_json.h"

namespace spindle::registry {
namespace {

const std::vector<ManifestEntry> example_entries = {
    {.path = "dir/b.bin", .digest = "RBB3zJ5XVU3Udr37i4uBAg==", .size = 2},
    {.path = "a.txt", .digest = "sZRqySSS0jR8YjW00mERhA==", .size = 6},
};

TEST(Manifest, HasTheDigestOfTheSpecification) {
  EXPECT_EQ(manifestDigest(example_entries), "0c9bd2fc68f0743e201b662c0681b4d6");
}

TEST(Manifest, DigestIgnoresTheOrderOfEntries) {
  const std::vector<ManifestEntry> turned = {example_entries[1], example_entries[0]};
  EXPECT_EQ(manifestDigest(turned), manifestDigest(example_entries));
}

TEST(Manifest, SortsPathsByTheirBytes) {
  const ManifestEntry upper{.path = "B", .digest = "1"};
  const ManifestEntry lower{.path = "a", .digest = "2"};
  const ManifestEntry umlaut{.path = "ä", .digest = "3"};
  EXPECT_EQ(manifestDigest({umlaut, lower, upper}), manifestDigest({upper, lower, umlaut}));
}

TEST(Manifest, IsWrittenInTheFormatOfTheSdks) {
  std::string text;
  json::Writer out(text);
  beginManifest(out);
  writeManifestEntry(
      out, {.path = "a.txt", .digest = "sZRqySSS0jR8YjW00mERhA==", .size = 6, .birth_id = 12});
  writeManifestEntry(out, {.path = "far",
                           .digest = "etag",
                           .size = 0,
                           .ref = "s3://bucket/key",
                           .extra = R"({"versionID":"1"})"});
  endManifest(out);
  EXPECT_EQ(text,
            R"({"version":1,"storagePolicy":"svc-storage-policy-v1",)"
            R"("storagePolicyConfig":{"storageLayout":"V2"},"contents":{)"
            R"("a.txt":{"digest":"sZRqySSS0jR8YjW00mERhA==","size":6,"birthArtifactID":"art_12"},)"
            R"("far":{"digest":"etag","size":0,"ref":"s3://bucket/key",)"
            R"("extra":{"versionID":"1"}}}})");
}

}  // namespace
}  // namespace spindle::registry
