#include "config/loader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "config/declarations.h"

namespace spindle::config {
namespace {

Loaded fromFile(std::string text) {
  Sources sources;
  sources.file = NamedText{"spindle.toml", std::move(text)};
  return resolve(sources);
}

std::string problemsOf(const Loaded& loaded) { return listProblems(loaded.problems); }

Provenance provenanceOf(const Loaded& loaded, std::string_view key) {
  return loaded.provenance[static_cast<std::size_t>(findSetting(key) - declarations().data())];
}

TEST(Loader, UsesDefaultsWithoutSources) {
  const Loaded loaded = resolve({});
  EXPECT_EQ(problemsOf(loaded), "");
  EXPECT_EQ(loaded.settings.server.listen.text(), "127.0.0.1:8080");
  EXPECT_EQ(loaded.settings.limits.body, 32U * 1024 * 1024);
  EXPECT_EQ(loaded.settings.storage.data_dir, "./spindle-data");
  EXPECT_FALSE(loaded.settings.storage.usesPostgres());
  EXPECT_EQ(provenanceOf(loaded, "server.listen").text(), "default");
}

TEST(Loader, AcceptsEveryDefault) {
  const Settings defaults;
  for (const Setting& setting : declarations()) {
    std::string file = "[" + std::string(setting.section()) + "]\n" + std::string(setting.name()) +
                       " = " + setting.literal(defaults) + "\n";
    EXPECT_EQ(problemsOf(fromFile(std::move(file))), "") << setting.key;
  }
}

TEST(Loader, AcceptsEveryExample) {
  for (const Setting& setting : declarations()) {
    if (setting.example.starts_with("what `")) continue;
    Settings settings;
    EXPECT_TRUE(setting.assign(settings, untyped(setting.text_example))) << setting.key;
  }
}

TEST(Loader, NamesAreUniqueAndDerivedFromTheKey) {
  struct Names {
    std::string_view key, flag, environment;
  };
  for (const Names& expected :
       std::initializer_list<Names>{{"server.listen", "--listen", "SPINDLE_LISTEN"},
                                    {"storage.data_dir", "--data-dir", "SPINDLE_DATA_DIR"},
                                    {"wire.profile", "--wire-profile", "SPINDLE_WIRE_PROFILE"},
                                    {"auth.admin_api_key", "", "SPINDLE_ADMIN_API_KEY"}}) {
    const Setting* setting = findSetting(expected.key);
    ASSERT_NE(setting, nullptr) << expected.key;
    EXPECT_EQ(setting->flag, expected.flag) << expected.key;
    EXPECT_EQ(setting->environment, expected.environment) << expected.key;
  }
  EXPECT_EQ(findSetting("server.nothing"), nullptr);
  std::vector<std::string> names;
  for (const Setting& setting : declarations()) {
    names.push_back(setting.environment);
    names.push_back(setting.key);
    if (!setting.flag.empty()) names.push_back(setting.flag);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Loader, PrefersFlagThenEnvironmentThenFile) {
  Sources sources;
  sources.file = NamedText{"spindle.toml",
                           "[server]\nlisten = \"127.0.0.1:1\"\nio_threads = 3\n"
                           "worker_threads = 5\n"};
  sources.environment = {{"SPINDLE_LISTEN", "127.0.0.1:2"}, {"SPINDLE_IO_THREADS", "4"}};
  sources.flags = {{"server.listen", "127.0.0.1:3"}};
  const Loaded loaded = resolve(sources);
  EXPECT_EQ(problemsOf(loaded), "");
  EXPECT_EQ(loaded.settings.server.listen.port, 3);
  EXPECT_EQ(loaded.settings.server.io_threads, 4);
  EXPECT_EQ(loaded.settings.server.worker_threads, 5);
  EXPECT_EQ(provenanceOf(loaded, "server.listen").text(), "flag --listen");
  EXPECT_EQ(provenanceOf(loaded, "server.io_threads").text(), "environment SPINDLE_IO_THREADS");
  EXPECT_EQ(provenanceOf(loaded, "server.worker_threads").text(), "file spindle.toml:4:1");
}

TEST(Loader, ReadsEveryTypeFromAFile) {
  const Loaded loaded = fromFile(R"(
[server]
cors_origins = ["https://app.example.com"]
access_log = false
[limits]
body = "64MiB"
header_bytes = 65536
idle_timeout = "1m30s"
[storage]
metadata = "postgres://spindle:hunter2@db/spindle"
[log]
level = "debug"
format = "text"
[wire]
profile = "vendor"
[auth]
admin_api_key = "0123456789abcdefghij"
)");
  EXPECT_EQ(problemsOf(loaded), "");
  EXPECT_EQ(loaded.settings.server.cors_origins.size(), 1U);
  EXPECT_FALSE(loaded.settings.server.access_log);
  EXPECT_EQ(loaded.settings.limits.body, 64U * 1024 * 1024);
  EXPECT_EQ(loaded.settings.limits.header_bytes, 65536U);
  EXPECT_EQ(loaded.settings.limits.idle_timeout, std::chrono::seconds(90));
  EXPECT_TRUE(loaded.settings.storage.usesPostgres());
  EXPECT_EQ(loaded.settings.log.level, LogLevel::kDebug);
  EXPECT_EQ(loaded.settings.log.format, LogFormatChoice::kText);
  EXPECT_EQ(loaded.settings.wire.profile, wire::Profile::kVendor);
  EXPECT_EQ(loaded.settings.auth.admin_api_key.reveal(), "0123456789abcdefghij");
}

TEST(Loader, ListsAllProblemsOfAllSourcesAtOnce) {
  Sources sources;
  sources.file = NamedText{"spindle.toml",
                           "[server]\n"
                           "lisen = \"127.0.0.1:1\"\n"
                           "io_threads = \"four\"\n"
                           "data_dir = \"x\"\n"
                           "[limts]\n"
                           "body = 1\n"
                           "[limits]\n"
                           "json_depth = 2.5\n"};
  sources.environment = {{"HOME", "/root"},
                         {"SPINDLE_IDLE_TIMEOUT", "75s"},
                         {"SPINDLE_LISTENN", "127.0.0.1:1"},
                         {"SPINDLE_LOG_LEVEL", "loud"},
                         {"SPINDLE_SOMETHING_ELSE_ENTIRELY", "1"}};
  sources.flags = {{"limits.body", "big"}};
  EXPECT_EQ(
      problemsOf(resolve(sources)),
      "spindle.toml:2:1: unknown setting server.lisen; did you mean server.listen?\n"
      "spindle.toml:3:1: server.io_threads: expected an integer from 0 to 256, such as 2, but "
      "found \"four\"\n"
      "spindle.toml:4:1: unknown setting server.data_dir; did you mean storage.data_dir?\n"
      "spindle.toml:6:1: unknown setting limts.body; did you mean limits.body?\n"
      "spindle.toml:8:1: limits.json_depth: expected an integer from 8 to 1000, such as 200, but "
      "found a number with a fraction\n"
      "SPINDLE_IDLE_TIMEOUT: unknown environment variable; did you mean "
      "SPINDLE_LIMITS_IDLE_TIMEOUT?\n"
      "SPINDLE_LISTENN: unknown environment variable; did you mean SPINDLE_LISTEN?\n"
      "SPINDLE_LOG_LEVEL: expected debug, info, warning or error, such as debug, but found "
      "\"loud\"\n"
      "SPINDLE_SOMETHING_ELSE_ENTIRELY: unknown environment variable; unset it, names are listed "
      "by `spindle config docs`\n"
      "--limits-body: expected a size from 1KiB to 4GiB, such as 32MiB, but found \"big\"\n");
}

TEST(Loader, IgnoresVariablesThatKubernetesInjectsForAService) {
  Sources sources;
  sources.environment = {{"SPINDLE_PORT", "tcp://10.0.0.7:8080"},
                         {"SPINDLE_PORT_8080_TCP", "tcp://10.0.0.7:8080"},
                         {"SPINDLE_PORT_8080_TCP_ADDR", "10.0.0.7"},
                         {"SPINDLE_PORT_8080_TCP_PORT", "8080"},
                         {"SPINDLE_PORT_8080_TCP_PROTO", "tcp"},
                         {"SPINDLE_POSTGRES_PORT", "tcp://10.0.0.8:5432"},
                         {"SPINDLE_POSTGRES_SERVICE_HOST", "10.0.0.8"},
                         {"SPINDLE_SERVICE_HOST", "10.0.0.7"},
                         {"SPINDLE_SERVICE_PORT", "8080"},
                         {"SPINDLE_SERVICE_PORT_HTTP", "8080"}};
  const Loaded loaded = resolve(sources);
  EXPECT_EQ(problemsOf(loaded), "");
  ASSERT_EQ(loaded.warnings.size(), sources.environment.size());
  EXPECT_EQ(loaded.warnings[0].where, "SPINDLE_PORT");
  EXPECT_EQ(loaded.warnings[0].message, "ignored: Kubernetes sets it for a service");
}

TEST(Loader, RejectsVariablesThatOnlyResembleServiceVariables) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"SPINDLE_PORT", "8080"},
           {"SPINDLE_SERVER_PORT", "8080"},
           {"SPINDLE_PORT_HTTP", "tcp://10.0.0.7:8080"},
           {"SPINDLE_PORT_8080_HTTP", "tcp://10.0.0.7:8080"},
           {"SPINDLE_PORT_8080_TCP_NAME", "x"},
           {"SPINDLE_SERVICE_PORT_", "8080"},
           {"SPINDLE_SERVICE_NAME", "spindle"}}) {
    Sources sources;
    sources.environment = {{name, value}};
    EXPECT_EQ(resolve(sources).problems.size(), 1U) << name;
    EXPECT_TRUE(resolve(sources).warnings.empty()) << name;
  }
}

TEST(Loader, ReportsThePositionOfTomlErrors) {
  const Loaded loaded = fromFile("[server]\nlisten = 127.0.0.1:8080\n");
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_TRUE(loaded.problems[0].where.starts_with("spindle.toml:2:")) << loaded.problems[0].where;
  EXPECT_TRUE(loaded.problems[0].message.starts_with("not valid TOML: "));
}

TEST(Loader, RejectsSectionNamesAsSettings) {
  EXPECT_EQ(problemsOf(fromFile("[server]\n[limits]\n")), "");
  EXPECT_EQ(problemsOf(fromFile("server = 3\n")),
            "spindle.toml:1:1: server is a section, not a setting; write [server] and the settings "
            "below it\n");
  EXPECT_EQ(problemsOf(fromFile("listen = \"127.0.0.1:1\"\n")),
            "spindle.toml:1:1: unknown setting listen; did you mean server.listen?\n");
  EXPECT_EQ(problemsOf(fromFile("[server.listen]\nport = 1\n")),
            "spindle.toml:2:1: unknown setting server.listen.port; did you mean server.listen?\n");
}

TEST(Loader, NeverRepeatsASecretInAProblem) {
  Sources sources;
  sources.environment = {{"SPINDLE_ADMIN_API_KEY", "hunter2"},
                         {"SPINDLE_METADATA", "mysql://user:hunter2@db"}};
  const std::string problems = problemsOf(resolve(sources));
  EXPECT_EQ(problems.find("hunter2"), std::string::npos) << problems;
  EXPECT_NE(problems.find("at least 20 printable characters"), std::string::npos) << problems;
}

TEST(Loader, TakesAnEmptyVariableAsUnset) {
  Sources sources;
  sources.environment = {{"SPINDLE_LISTEN", ""}, {"SPINDLE_CONFIG", ""}};
  EXPECT_EQ(problemsOf(resolve(sources)), "");
}

TEST(Loader, JoinsRepeatedFlagsOfAList) {
  Sources sources;
  sources.flags = {{"server.cors_origins", "https://a.example"},
                   {"server.cors_origins", "https://b.example,https://c.example"}};
  EXPECT_EQ(resolve(sources).settings.server.cors_origins.size(), 3U);
}

TEST(Loader, ChecksSettingsAgainstEachOther) {
  Sources sources;
  sources.flags = {{"server.tls_key", "key.pem"},
                   {"server.cors_origins", "*"},
                   {"server.cors_credentials", "true"},
                   {"storage.data_dir", ""}};
  EXPECT_EQ(problemsOf(resolve(sources)),
            "--tls-key: server.tls_key is set without server.tls_certificate; set both or neither\n"
            "--cors-credentials: server.cors_credentials cannot be combined with the origin *; "
            "name the origins in server.cors_origins\n"
            "--data-dir: storage.data_dir is empty; name a folder, such as ./spindle-data\n");
  sources.flags = {{"server.tls_certificate", "cert.pem"}};
  EXPECT_EQ(resolve(sources).problems.size(), 1U);
  sources.flags = {{"files.store", "s3"}, {"files.s3_bucket", "files"}};
  EXPECT_EQ(problemsOf(resolve(sources)),
            "--files-store: files.store is s3 without files.s3_endpoint and files.s3_bucket; set "
            "both\n");
  sources.flags.push_back({"files.s3_endpoint", "http://127.0.0.1:9000"});
  EXPECT_EQ(problemsOf(resolve(sources)), "");
  EXPECT_TRUE(resolve(sources).settings.files.usesS3());
  sources.flags = {{"traces.store", "clickhouse"}};
  EXPECT_EQ(problemsOf(resolve(sources)),
            "--traces-store: traces.store is clickhouse without traces.clickhouse_url; set both\n");
  sources.flags.push_back({"traces.clickhouse_url", "http://127.0.0.1:8123"});
  EXPECT_EQ(problemsOf(resolve(sources)), "");
  EXPECT_TRUE(resolve(sources).settings.traces.usesClickHouse());
}

class LoaderFile : public testing::Test {
 public:
  LoaderFile() : folder_(testing::TempDir() + "spindle_loader_test") {
    std::filesystem::create_directories(folder_);
    std::ofstream(path("a.toml")) << "[server]\nlisten = \"127.0.0.1:1\"\n";
    std::ofstream(path("b.toml")) << "[server]\nlisten = \"127.0.0.1:2\"\n";
  }
  ~LoaderFile() override { std::filesystem::remove_all(folder_); }

 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

TEST_F(LoaderFile, FlagOverridesEnvironment) {
  const std::vector<NamedText> environment = {{"SPINDLE_CONFIG", path("b.toml")}};
  EXPECT_EQ(load(path("a.toml"), {}, environment).settings.server.listen.port, 1);
  EXPECT_EQ(load(std::nullopt, {}, environment).settings.server.listen.port, 2);
  EXPECT_EQ(load(std::nullopt, {}, {}).settings.server.listen.port, 8080);
}

TEST_F(LoaderFile, UnreadableFileIsReportedWithOtherProblems) {
  const Loaded loaded = load(path("none.toml"), {}, {{"SPINDLE_LISTEN", "here"}});
  ASSERT_EQ(loaded.problems.size(), 2U);
  EXPECT_EQ(loaded.problems[0].where, "--config");
  EXPECT_EQ(loaded.problems[0].message,
            "cannot read " + path("none.toml") + ": No such file or directory");
  const Loaded folder = load(path(""), {}, {});
  ASSERT_EQ(folder.problems.size(), 1U);
  EXPECT_EQ(folder.problems[0].message, "cannot read " + path("") + ": it is not a file");
}

}  // namespace
}  // namespace spindle::config
