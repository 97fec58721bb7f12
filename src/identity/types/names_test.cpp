#include "identity/types/names.h"

#include <gtest/gtest.h>

namespace spindle::identity {
namespace {

TEST(Names, UserNamesAreSafeInUrls) {
  for (const char* good : {"a", "Alice", "9lives", "a.b_c-d", "X1"}) EXPECT_TRUE(isUsername(good));
  for (const char* bad : {"", ".a", "-a", "_a", "a b", "a/b", "é", "a\n", "a@b"}) {
    EXPECT_FALSE(isUsername(bad)) << bad;
  }
  EXPECT_TRUE(isUsername(std::string(64, 'a')));
  EXPECT_FALSE(isUsername(std::string(65, 'a')));
}

TEST(Names, TeamNamesAreLowerCase) {
  for (const char* good : {"a", "acme-ml", "9_x"}) EXPECT_TRUE(isTeamName(good));
  for (const char* bad : {"", "Acme", "-a", "_a", "a.b", "a b"}) EXPECT_FALSE(isTeamName(bad));
  EXPECT_TRUE(isTeamName(std::string(64, 'a')));
  EXPECT_FALSE(isTeamName(std::string(65, 'a')));
}

TEST(Names, ProjectNamesExcludePathCharacters) {
  for (const char* good : {"a", "My project (2)", "é☃", " ", "..", "a&b=c"}) {
    EXPECT_TRUE(isProjectName(good)) << good;
  }
  for (const char* bad : {"", "a/b", "a\\b", "a#b", "a?b", "a%b", "a:b", "a\rb", "a\nb"}) {
    EXPECT_FALSE(isProjectName(bad)) << bad;
  }
  EXPECT_FALSE(isProjectName(std::string_view("a\0b", 3)));
  std::string snow;
  for (int i = 0; i < 128; ++i) snow += "☃";
  EXPECT_TRUE(isProjectName(snow)) << "characters count, not bytes";
  EXPECT_FALSE(isProjectName(snow + "x"));
}

TEST(Names, EmailAddressesContainAnAt) {
  EXPECT_TRUE(isEmail("a@b"));
  EXPECT_TRUE(isEmail("Ann.Lee+x@example.com"));
  for (const char* bad : {"", "a", "@", "a@", "@b", "a b@c", "a@b\n"}) EXPECT_FALSE(isEmail(bad));
  EXPECT_TRUE(isEmail("a@" + std::string(252, 'b')));
  EXPECT_FALSE(isEmail("a@" + std::string(253, 'b')));
}

TEST(Names, LabelsAreShortLines) {
  EXPECT_TRUE(isLabel("ci runner é"));
  EXPECT_FALSE(isLabel(""));
  EXPECT_FALSE(isLabel("a\nb"));
  EXPECT_FALSE(isLabel(std::string(129, 'a')));
}

TEST(Names, FoldsOnlyAsciiLetters) { EXPECT_EQ(foldCase("AbÉ-9"), "abÉ-9"); }

TEST(Names, SplitsProjectNamesAtTheOnlySlash) {
  const Result<ProjectName> name = splitProjectName("team/My Project");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->entity, "team");
  EXPECT_EQ(name->project, "My Project");
  EXPECT_EQ(name->text(), "team/My Project");
  for (const std::string_view broken : {"", "/", "team", "team/", "/project", "a/b/c", "a//b"})
    EXPECT_FALSE(splitProjectName(broken)) << broken;
}

}  // namespace
}  // namespace spindle::identity
