#include "http/server/access_log.h"

#include <future>
#include <string>

#include <gtest/gtest.h>

#include "base/core/log.h"

namespace spindle::http {
namespace {

AccessRecord recordOf(std::string path) {
  AccessRecord record;
  record.method = Method::kGet;
  record.status = 200;
  record.duration = std::chrono::microseconds(1234);
  record.path = std::move(path);
  return record;
}

TEST(AccessLog, WritesEveryRecordInOrderBeforeItEnds) {
  std::string all;
  setLogSinkForTest([&all](std::string_view line) { all += line; });
  Counter lost;
  {
    AccessLog log(lost);
    log.add(recordOf("/first"));
    log.add(recordOf("/second"));
  }
  setLogSinkForTest({});
  const std::size_t first = all.find(R"("path":"/first")");
  const std::size_t second = all.find(R"("path":"/second")");
  EXPECT_LT(first, second);
  EXPECT_NE(second, std::string::npos);
  EXPECT_NE(all.find(R"("duration_ms":1.234)"), std::string::npos);
  EXPECT_EQ(lost.value(), 0U);
}

TEST(AccessLog, LosesRecordsRatherThanWaitForTheOutput) {
  std::promise<void> entered;
  std::promise<void> release;
  bool first = true;
  setLogSinkForTest([&](std::string_view /*line*/) {
    if (!std::exchange(first, false)) return;
    entered.set_value();
    release.get_future().wait();
  });
  Counter lost;
  {
    AccessLog log(lost);
    log.add(recordOf("/"));
    entered.get_future().wait();
    for (int i = 0; i < 40000; ++i) log.add(recordOf("/"));
    EXPECT_EQ(lost.value(), 40000U - 32 * 1024);
    release.set_value();
  }
  setLogSinkForTest({});
}

}  // namespace
}  // namespace spindle::http
