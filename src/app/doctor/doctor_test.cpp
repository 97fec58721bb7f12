#include "app/doctor/doctor.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/doctor/folder_checks.h"
#include "app/doctor/library_checks.h"
#include "app/doctor/machine_checks.h"
#include "http/testing/scripted_server.h"

namespace spindle::app {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

Result<std::string> nothingThere(const std::string& /*url*/) {
  return Error(ErrorCode::kUpstream, "refused");
}

ClockReading reading(const char* wall, std::chrono::milliseconds steady) {
  return {*parseTimestamp(wall).value, std::chrono::steady_clock::time_point(steady)};
}

/// Checks a wall clock that went from `first` to `second` while `steady` passed.
void expectClock(const char* first,
                 const char* second,
                 std::chrono::milliseconds steady,
                 Verdict verdict,
                 const std::string& message) {
  const Finding finding = checkClock(reading(first, 0ms), reading(second, steady));
  EXPECT_EQ(finding.verdict, verdict);
  EXPECT_EQ(finding.message, message);
}

TEST(ClockCheck, AcceptsASteadyClock) {
  expectClock("2026-05-01T10:00:00Z", "2026-05-01T10:00:01Z", 1010ms, Verdict::kOk,
              "2026-05-01T10:00:01Z");
}

TEST(ClockCheck, DetectsADateInThePast) {
  const Finding finding =
      checkClock(reading("1970-01-01T00:01:00Z", 0ms), reading("1970-01-01T00:01:00Z", 0ms));
  EXPECT_EQ(finding.verdict, Verdict::kFailure);
  EXPECT_FALSE(finding.advice.empty());
}

TEST(ClockCheck, DetectsAJumpOfTheWallClock) {
  expectClock("2026-05-01T10:00:10Z", "2026-05-01T10:00:00Z", 5ms, Verdict::kWarning,
              "jumped by -10005 ms during the checks");
}

TEST(ClockCheck, ComparesTheClockOfTheFileSystem) {
  EXPECT_EQ(checkFileClock(-15ms).verdict, Verdict::kOk);
  EXPECT_EQ(checkFileClock(3s).verdict, Verdict::kWarning);
  EXPECT_EQ(checkFileClock(-1h).verdict, Verdict::kWarning);
}

TEST(OpenFilesCheck, ComparesTheLimitWithTheConnections) {
  EXPECT_EQ(checkOpenFiles({65536, 65536}, 20000).verdict, Verdict::kOk);
  const Finding soft = checkOpenFiles({1024, 1048576}, 20000);
  EXPECT_EQ(soft.verdict, Verdict::kWarning);
  EXPECT_NE(soft.advice.find("ulimit -n 20512"), std::string::npos) << soft.advice;
  const Finding hard = checkOpenFiles({1024, 4096}, 20000);
  EXPECT_NE(hard.advice.find("LimitNOFILE="), std::string::npos) << hard.advice;
  EXPECT_GT(FileLimit::ofProcess().soft, 0U);
}

TEST(MachineCheck, WarnsWhenMemoryIsShort) {
  EXPECT_EQ(checkMachine({2, 4UL << 30, 2UL << 30}).verdict, Verdict::kOk);
  EXPECT_EQ(checkMachine({2, 4UL << 30, 2UL << 30}).message,
            "2 processors, 4096 MiB of memory, 2048 MiB available");
  EXPECT_EQ(checkMachine({1, 512UL << 20, 100UL << 20}).verdict, Verdict::kWarning);
  const Machine here = Machine::inspect();
  EXPECT_GT(here.processors, 0U);
  EXPECT_GT(here.memory, 0U);
  EXPECT_GT(here.available, 0U);
}

class FolderCheck : public testing::Test {
 public:
  FolderCheck() {
    std::string name = testing::TempDir() + "spindle_doctor_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FolderCheck() override { fs::remove_all(folder_); }

 protected:
  fs::path folder_;
};

TEST_F(FolderCheck, AcceptsAWritablePrivateFolderAndLeavesNothingBehind) {
  fs::permissions(folder_, fs::perms::owner_all);
  const Findings findings = checkDataFolder(folder_);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].verdict, Verdict::kOk) << findings[0].message;
  EXPECT_EQ(findings[1].verdict, Verdict::kOk) << findings[1].message;
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FolderCheck, WarnsWhenOtherUsersCanRead) {
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
  const Findings findings = checkDataFolder(folder_);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[1].verdict, Verdict::kWarning);
  EXPECT_EQ(findings[1].advice, "chmod 0700 " + folder_.string());
}

TEST_F(FolderCheck, AcceptsAFolderThatDoesNotExistYet) {
  const Findings findings = checkDataFolder(folder_ / "a" / "b");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict, Verdict::kOk);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(FolderCheck, RefusesAFileInPlaceOfTheFolder) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_EQ(checkDataFolder(folder_ / "file").at(0).verdict, Verdict::kFailure);
  EXPECT_EQ(checkDataFolder(folder_ / "file" / "below").at(0).verdict, Verdict::kFailure);
}

/// Returns true if the check refuses the folder in a process without root privileges.
bool refusedToAnOrdinaryUser(const fs::path& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    const bool ordinary = ::geteuid() != 0 || ::setuid(kNobody) == 0;
    const bool refused = checkDataFolder(folder).at(0).verdict == Verdict::kFailure;
    ::_exit(ordinary && refused ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(FolderCheck, RefusesAFolderItMayNotWriteTo) {
  using fs::perms;
  fs::permissions(folder_,
                  perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
  EXPECT_TRUE(refusedToAnOrdinaryUser(folder_));
  EXPECT_TRUE(refusedToAnOrdinaryUser(folder_ / "new"));
  fs::permissions(folder_, perms::all);
  EXPECT_FALSE(refusedToAnOrdinaryUser(folder_ / "new"));
}

TEST_F(FolderCheck, RefusesWhereNoFolderCanBeMade) {
  const Findings findings = checkDataFolder("/proc/spindle-data");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict, ::access("/proc", W_OK) == 0 ? Verdict::kOk : Verdict::kFailure);
}

TEST_F(FolderCheck, WarnsBeforeTheDiskIsFull) {
  EXPECT_EQ(checkDiskSpace(folder_, 10UL << 30).verdict, Verdict::kOk);
  EXPECT_EQ(checkDiskSpace(folder_, 500UL << 20).verdict, Verdict::kWarning);
  EXPECT_EQ(checkDiskSpace(folder_, 1UL << 20).verdict, Verdict::kFailure);
  EXPECT_TRUE(availableSpace(folder_ / "not" / "there").has_value());
}

TEST_F(FolderCheck, MeasuresTheClockOfTheFileSystem) {
  ASSERT_TRUE(fileClockSkew(folder_).has_value());
  EXPECT_FALSE(fileClockSkew(folder_ / "absent").has_value());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FolderCheck, ReportsARunningServerAsOk) {
  EXPECT_EQ(checkLock(holderOf(folder_)).message, "no server uses the data folder");
  EXPECT_EQ(holderOf(folder_ / "absent"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder_ / "absent"));
  const storage::DataFolder data(folder_.string());
  storage::DataFolderLock lock(data);
  lock.announce("http://127.0.0.1:8080");
  const Finding finding = checkLock(holderOf(folder_));
  EXPECT_EQ(finding.verdict, Verdict::kOk);
  EXPECT_EQ(finding.message, "a server is running, process " + std::to_string(::getpid()) +
                                 ", http://127.0.0.1:8080");
}

TEST_F(FolderCheck, ChecksConfiguredTlsFiles) {
  config::ServerSettings server;
  EXPECT_TRUE(checkTlsFiles(server).empty());
  std::ofstream(folder_ / "cert.pem") << "x";
  server.tls_certificate = folder_ / "cert.pem";
  server.tls_key = folder_ / "key.pem";
  const Findings findings = checkTlsFiles(server);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].verdict, Verdict::kOk);
  EXPECT_EQ(findings[1].verdict, Verdict::kFailure);
}

TEST(PortCheck, DistinguishesFreeAndUsedPorts) {
  const http::ScriptedServer server(http::respondingWith(""));
  EXPECT_EQ(probePort({"127.0.0.1", 0}), PortState::kFree);
  EXPECT_EQ(probePort({"127.0.0.1", server.port()}), PortState::kInUse);
  EXPECT_EQ(probePort({"203.0.113.7", 0}), PortState::kNoAddress);
  EXPECT_EQ(probePort({"256.256.256.256", 0}), PortState::kNoAddress);
}

TEST(PortCheck, RecognisesARunningSpindle) {
  config::ServerSettings server;
  std::string asked;
  const Fetch healthy = [&asked](const std::string& url) -> Result<std::string> {
    asked = url;
    return std::string(R"({"status":"ok"})");
  };
  EXPECT_EQ(checkPort(server, PortState::kInUse, healthy).verdict, Verdict::kOk);
  EXPECT_EQ(asked, "http://127.0.0.1:8080/health");
}

TEST(PortCheck, AdvisesWhenTheServerCouldNotListen) {
  config::ServerSettings server;
  EXPECT_EQ(checkPort(server, PortState::kFree, nothingThere).verdict, Verdict::kOk);
  for (const PortState state : {PortState::kInUse, PortState::kForbidden, PortState::kNoAddress}) {
    const Finding finding = checkPort(server, state, nothingThere);
    EXPECT_EQ(finding.verdict, Verdict::kFailure);
    EXPECT_FALSE(finding.advice.empty());
  }
  const Fetch other = [](const std::string&) -> Result<std::string> { return std::string("hi"); };
  EXPECT_EQ(checkPort(server, PortState::kInUse, other).verdict, Verdict::kFailure);
}

TEST(PortCheck, BuildsTheHealthUrl) {
  config::ServerSettings server;
  server.listen = {"0.0.0.0", 80};
  EXPECT_EQ(healthUrl(server), "http://127.0.0.1:80/health");
  server.listen = {"::", 8443};
  server.tls_certificate = "cert.pem";
  EXPECT_EQ(healthUrl(server), "https://[::1]:8443/health");
}

TEST(PostgresCheck, ReportsTheResultOfTheProbe) {
  config::StorageSettings storage;
  storage.metadata = Secret("postgres://db/spindle");
  const PostgresProbe up = [](const Secret&) -> Result<std::string> { return std::string("15.6"); };
  EXPECT_EQ(checkPostgres(storage, up).message, "reachable, version 15.6");
  const PostgresProbe down = [](const Secret&) -> Result<std::string> {
    return Error::unavailable("connection\nrefused\n");
  };
  EXPECT_EQ(checkPostgres(storage, down).verdict, Verdict::kFailure);
  EXPECT_EQ(checkPostgres(storage, down).message, "connection refused");
}

TEST(LibraryCheck, ListsLinkedVersions) {
  const Finding finding = checkLinkedLibraries();
  for (const char* name :
       {"OpenSSL 3", "SQLite 3", "libpq ", "simdjson ", "zlib ", "zstd ", "Boost 1."}) {
    EXPECT_NE(finding.message.find(name), std::string::npos) << name << finding.message;
  }
}

TEST(LibraryCheck, LoadsTheLibrariesTheBuildFound) {
  for (const NeededLibrary& library : neededLibraries()) {
    const Finding finding = checkLibrary(library);
    EXPECT_EQ(finding.verdict, Verdict::kOk) << finding.message;
  }
}

TEST(LibraryCheck, AdvisesHowToInstallAMissingLibrary) {
  const Finding finding = checkLibrary({"libabsent", "libabsent.so", "/nowhere/libabsent.so", ""});
  EXPECT_EQ(finding.verdict, Verdict::kFailure);
  EXPECT_NE(finding.advice.find("scripts/setup.sh"), std::string::npos);
}

TEST(Report, AlignsLinesAndCounts) {
  const Findings findings = {Finding::ok("port", "free"),
                             Finding::warning("disk space", "little", "free some"),
                             Finding::failure("clock", "wrong", "set it")};
  EXPECT_EQ(renderText(findings),
            "ok    port        free\n"
            "warn  disk space  little\n"
            "                  -> free some\n"
            "fail  clock       wrong\n"
            "                  -> set it\n"
            "\nok: 1, warnings: 1, failures: 1\n");
  EXPECT_TRUE(anyFailure(findings));
  EXPECT_FALSE(anyFailure({Finding::ok("a", "b"), Finding::warning("a", "b", "c")}));
  EXPECT_EQ(renderJson({Finding::failure("clock", "say \"now\"", "set it")}),
            R"({"ok":false,"checks":[{"check":"clock","verdict":"failure","message":"say \"now\"",)"
            R"("advice":"set it"}]})"
            "\n");
}

TEST_F(FolderCheck, AllChecksPassOnAnEmptyFolder) {
  fs::permissions(folder_, fs::perms::owner_all);
  config::Sources sources;
  sources.flags = {{"storage.data_dir", folder_.string()}, {"server.listen", "127.0.0.1:0"}};
  const Findings findings = runDoctorChecks(config::resolve(sources), {nothingThere, {}, {}, {}});
  EXPECT_FALSE(anyFailure(findings)) << renderText(findings);
  EXPECT_GE(findings.size(), 12U);
}

TEST(DoctorChecks, ReportsSettingsProblemsAndContinues) {
  config::Sources sources;
  sources.environment = {{"SPINDLE_LISTENN", "x"}};
  const Findings findings = runDoctorChecks(config::resolve(sources), {nothingThere, {}, {}, {}});
  EXPECT_TRUE(anyFailure(findings));
  EXPECT_EQ(findings[0].check, "settings");
  EXPECT_GE(findings.size(), 5U);
}

TEST_F(FolderCheck, ChecksPostgresOnlyWhenConfigured) {
  config::Sources sources;
  sources.flags = {{"storage.data_dir", folder_.string()},
                   {"server.listen", "127.0.0.1:0"},
                   {"storage.metadata", "postgres://db/spindle"}};
  int asked = 0;
  DoctorPorts ports;
  ports.fetch = nothingThere;
  ports.postgres = [&asked](const Secret& uri) -> Result<std::string> {
    EXPECT_EQ(uri.reveal(), "postgres://db/spindle");
    ++asked;
    return Error::unavailable("refused");
  };
  EXPECT_TRUE(anyFailure(runDoctorChecks(config::resolve(sources), ports)));
  EXPECT_EQ(asked, 1);
}

TEST(BucketCheck, SaysWhatFailed) {
  config::FileSettings files;
  files.s3_endpoint = "http://s3.example.com";
  files.s3_bucket = "spindle-files";
  const Finding usable =
      checkBucket(files, [](const config::FileSettings&) -> Result<void> { return {}; });
  EXPECT_EQ(usable.verdict, Verdict::kOk);
  EXPECT_EQ(usable.message,
            "spindle-files at http://s3.example.com: an object was written, read and deleted");
  const Finding denied = checkBucket(files, [](const config::FileSettings&) -> Result<void> {
    return Error::unavailable("DELETE object: denied");
  });
  EXPECT_EQ(denied.verdict, Verdict::kFailure);
  EXPECT_EQ(denied.message, "DELETE object: denied");
  EXPECT_NE(denied.advice.find("s3:DeleteObject"), std::string::npos);
}

TEST(ClickHouseCheck, SaysWhatFailed) {
  config::TraceSettings traces;
  traces.clickhouse_url = "http://clickhouse.example.com:8123";
  traces.clickhouse_database = "spindle";
  const Finding usable = checkClickHouse(
      traces,
      [](const config::TraceSettings&) -> Result<std::string> { return std::string("25.3"); });
  EXPECT_EQ(usable.verdict, Verdict::kOk);
  EXPECT_EQ(usable.message,
            "spindle at http://clickhouse.example.com:8123: version 25.3, a table was created, "
            "written, read and dropped");
  const Finding refused =
      checkClickHouse(traces, [](const config::TraceSettings&) -> Result<std::string> {
        return Error::unavailable("wrong password");
      });
  EXPECT_EQ(refused.verdict, Verdict::kFailure);
  EXPECT_EQ(refused.message, "wrong password");
  EXPECT_NE(refused.advice.find("traces.clickhouse_user"), std::string::npos);
}

}  // namespace
}  // namespace spindle::app
