#include "config/reference.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "config/declarations.h"

namespace spindle::config {
namespace {

TEST(Reference, EqualsTheDocumentation) {
  std::ifstream file(SPINDLE_SOURCE_DIR "/docs/configuration.md");
  const std::string checked_in(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(checked_in, referenceMarkdown()) << "run: spindle config docs > docs/configuration.md";
}

TEST(Reference, NamesEverySetting) {
  const std::string markdown = referenceMarkdown();
  const std::string help = flagHelp();
  for (const Setting& setting : declarations()) {
    EXPECT_NE(markdown.find("`" + setting.key + "`"), std::string::npos) << setting.key;
    EXPECT_NE(markdown.find("`" + setting.environment + "`"), std::string::npos) << setting.key;
    if (setting.flag.empty()) continue;
    EXPECT_NE(help.find(setting.flag.substr(2)), std::string::npos) << setting.flag;
  }
}

TEST(Reference, FitsIntoOneHundredColumns) {
  for (const std::string& text : {referenceMarkdown(), flagHelp()}) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(end - begin, 100U) << text.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(EffectiveSettings, CanBeLoadedAsAFile) {
  Sources sources;
  sources.flags = {{"server.listen", "[::1]:9000"}, {"limits.body", "1000"}};
  sources.environment = {{"SPINDLE_CORS_ORIGINS", "https://a.example,https://b.example"}};
  const Loaded first = resolve(sources);
  Sources again;
  again.file = NamedText{"shown.toml", effectiveToml(first)};
  const Loaded second = resolve(again);
  EXPECT_EQ(listProblems(second.problems), "");
  EXPECT_EQ(second.settings.server.listen.text(), "[::1]:9000");
  EXPECT_EQ(second.settings.server.cors_origins, first.settings.server.cors_origins);
}

TEST(EffectiveSettings, NameTheSourceOfEachValue) {
  Sources sources;
  sources.flags = {{"log.level", "debug"}};
  const std::string shown = effectiveToml(resolve(sources));
  EXPECT_NE(shown.find("# flag --log-level\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("# default\n"), std::string::npos) << shown;
  const std::string json = effectiveJson(resolve(sources));
  EXPECT_NE(
      json.find(R"("log.level": {"value": "debug", "source": "flag", "from": "--log-level"})"),
      std::string::npos)
      << json;
}

TEST(EffectiveSettings, HideSecrets) {
  Sources sources;
  sources.environment = {{"SPINDLE_ADMIN_API_KEY", "hunter2hunter2hunter2"},
                         {"SPINDLE_METADATA", "postgres://spindle:hunter2@db/spindle"},
                         {"SPINDLE_SECRET_KEY", "hunter2hunter2hunter2hunter2hunter2"}};
  const Loaded loaded = resolve(sources);
  ASSERT_EQ(listProblems(loaded.problems), "");
  for (const std::string& shown : {effectiveToml(loaded), effectiveJson(loaded)}) {
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
    EXPECT_NE(shown.find("\"***\""), std::string::npos) << shown;
  }
}

}  // namespace
}  // namespace spindle::config
