#include "registry/artifacts/names.h"

#include <utility>

#include <gtest/gtest.h>

namespace spindle::registry {
namespace {

TEST(Names, ReserveCollectionsForThePlatform) {
  using TypeAndName = std::pair<const char*, const char*>;
  for (const auto& [type, name] :
       {TypeAndName{"svc-history", "x"}, TypeAndName{"job", "anything"},
        TypeAndName{"run_table", "run-1"}, TypeAndName{"code", "source-1"}}) {
    EXPECT_TRUE(isReservedCollection(type, name)) << type << " " << name;
  }
  for (const auto& [type, name] : {TypeAndName{"run_table", "mine"}, TypeAndName{"code", "mine"},
                                   TypeAndName{"model", "run-1"}}) {
    EXPECT_FALSE(isReservedCollection(type, name)) << type << " " << name;
  }
}

TEST(Names, DistinguishNumbersIdsAndAliases) {
  EXPECT_EQ(versionNameOf("v3").index, 3);
  EXPECT_EQ(versionNameOf("v0").index, 0);
  EXPECT_EQ(versionNameOf("art_12").id, 12);
  for (const char* alias : {"latest", "v", "v1.2", "vx", "V3", "art_", "art_x", "3"}) {
    EXPECT_EQ(versionNameOf(alias).alias, alias);
  }
  EXPECT_TRUE(isVersionNumber("v12"));
  EXPECT_FALSE(isVersionNumber("v12a"));
  EXPECT_EQ(artifactIdText(7), "art_7");
  EXPECT_EQ(artifactIdOf("art_07"), std::nullopt);
  EXPECT_EQ(artifactIdOf("art_-7"), std::nullopt);
  EXPECT_EQ(artifactIdOf("art_99999999999999999999"), std::nullopt);
}

TEST(Names, RefuseEntryPathsThatLeaveTheVersion) {
  for (const char* good : {"a", "a.txt", "dir/b.bin", "a..b", "...", "a b", "ü/☃"}) {
    EXPECT_EQ(entryPathProblem(good), "") << good;
  }
  for (const char* bad : {"", "/a", "a//b", "a/", "..", "../a", "a/../b", "a/..", ".", "./a",
                          "a\\b", "C:/a", "c:a"}) {
    EXPECT_NE(entryPathProblem(bad), "") << bad;
  }
}

TEST(Names, RecognizeAnMd5) {
  EXPECT_TRUE(isMd5Text("sZRqySSS0jR8YjW00mERhA=="));
  for (const char* text : {"sZRqySSS0jR8YjW00mERhA",
                           "sZRqySSS0jR8YjW00mERhB==", "0c9bd2fc68f0743e201b662c0681b4d6", ""}) {
    EXPECT_FALSE(isMd5Text(text)) << text;
  }
}

TEST(Names, TypesOfRunsHaveNoTtl) {
  for (const char* type : {"run_table", "code", "job", "svc-history"}) EXPECT_TRUE(hasNoTtl(type));
  EXPECT_FALSE(hasNoTtl("model"));
}

}  // namespace
}  // namespace spindle::registry
