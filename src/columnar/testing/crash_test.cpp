#include <array>
#include <csignal>
#include <cstdint>
#include <exception>
#include <random>
#include <set>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "columnar/testing/notes_for_test.h"
#include "columnar/testing/store_for_test.h"

namespace spindle::columnar {
namespace {

StoreOptions crashOptions(const std::string& folder) {
  StoreOptions options;
  options.folder = folder;
  options.recent_rows = 40;  // so that a crash hits flushes as often as writes
  return options;
}

std::string crashKey(std::int64_t n) {
  std::string digits = std::to_string(n);
  return std::string(12 - digits.size(), '0') + digits;
}

/// Writes n and its twin and increments the counter, until it is killed; reports each
/// acknowledgement.
[[noreturn]] void writeForEver(const std::string& folder, int report, std::int64_t from) {
  MetricRegistry metrics;
  const std::unique_ptr<Store> store = Store::open(crashOptions(folder), noteFamilies(), metrics);
  for (std::int64_t n = from;; ++n) {
    FunctionChange change(
        [n](Plan& plan) -> Result<void> {
          plan.put(kNotes, "1", note(crashKey(n), n, "begun"));
          plan.put(kNotes, "2", note(crashKey(n), n, "twin"));
          if (const Row* before = plan.find(kNotes, "1", crashKey(n - 1))) {
            Row row = *before;
            row[2] = std::string("done");
            plan.put(kNotes, "1", std::move(row));
          }
          if (n % 3 == 0) plan.erase(kNotes, "1", crashKey(n - 50));
          const Row* count = plan.find(kNotes, "1", "count");
          Row next = count == nullptr ? note("count", 0, "") : *count;
          next[3] = n;
          plan.put(kNotes, "1", std::move(next));
          return {};
        },
        {{kNotes, "1", crashKey(n - 1)}, {kNotes, "1", "count"}});
    if (!store->write(change, 500) || ::write(report, &n, sizeof(n)) != sizeof(n)) ::_exit(1);
  }
}

/// Checks the effects of `last` acknowledged writes in a reopened store.
void check(const std::string& folder, std::int64_t last, std::int64_t& found_last) {
  MetricRegistry metrics;
  const std::unique_ptr<Store> store = Store::open(crashOptions(folder), noteFamilies(), metrics);
  const Notes one = readNotes(*store, "1");
  const Notes two = readNotes(*store, "2");
  {
    Result<Snapshot> now = store->snapshot();
    ASSERT_TRUE(now);
    found_last = last < 0 && one.empty()
                     ? -1
                     : numberOf(*now, "SELECT size FROM " + now->from(kNotes, "1") +
                                          " AS n WHERE id = 'count'");
  }
  ASSERT_GE(found_last, last);
  ASSERT_LE(found_last, last + 1);
  ASSERT_EQ(two.size(), static_cast<std::size_t>(found_last + 1));
  for (std::int64_t n = 0; n <= found_last; ++n) {
    const auto row = one.find(crashKey(n));
    const bool erased = n + 50 <= found_last && (n + 50) % 3 == 0;
    ASSERT_EQ(row == one.end(), erased) << n;
    ASSERT_TRUE(erased || row->second == (n == found_last ? "begun" : "done")) << n;
    ASSERT_EQ(two.count(crashKey(n)), 1U) << n;
  }
}

TEST(ColumnarCrash, RecoversEveryAcknowledgedWriteExactlyOnce) {
  FolderForTest folder;
  std::mt19937 random(20240501);
  std::int64_t last = -1;
  for (int round = 0; round < 20; ++round) {
    std::array<int, 2> channel{};
    ASSERT_EQ(::pipe(channel.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) writeForEver(folder.path(), channel[1], last + 1);
    ::close(channel[1]);
    const unsigned kill_after = random() % 80;
    std::int64_t n = 0;
    for (unsigned i = 0; ::read(channel[0], &n, sizeof(n)) == sizeof(n); ++i) {
      last = n;
      if (i == kill_after) ::kill(child, SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    ::close(channel[0]);
    std::int64_t found = -1;
    ASSERT_NO_FATAL_FAILURE(check(folder.path(), last, found)) << "round " << round;
    last = found;
  }
  EXPECT_GE(last, 20);
}

/// Opens a new store with a limit of `bytes` on the file size, to simulate a full disk or a kill
/// during a write.
[[noreturn]] void openCutOff(const std::string& folder, rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
  try {
    MetricRegistry metrics;
    const std::unique_ptr<Store> store = Store::open(crashOptions(folder), noteFamilies(), metrics);
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

TEST(ColumnarCrash, InterruptedFirstStartCanBeRepeated) {
  for (const rlim_t bytes : {1, 4095, 4096, 8192, 12288, 200'000, 262'144, 300'000}) {
    FolderForTest folder;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) openCutOff(folder.path(), bytes);
    int ended = 0;
    ::waitpid(child, &ended, 0);
    ASSERT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) < 2) << bytes;
    MetricRegistry metrics;
    EXPECT_NO_THROW(Store::open(crashOptions(folder.path()), noteFamilies(), metrics)) << bytes;
  }
}

}  // namespace
}  // namespace spindle::columnar
