#include "agents/ingest/sampler.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace spindle::agents {
namespace {

TEST(Sampler, DecidesByTheDigestOfTheTraceId) {
  // sha256("4bf92f3577b34da6a3ce929d0e0e4736") mod 1000000 = 968745, computed with Python.
  constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
  EXPECT_FALSE(Sampler(0.968745).keeps(kTrace));
  EXPECT_TRUE(Sampler(0.968746).keeps(kTrace));
}

TEST(Sampler, KeepsNothingAtZeroAndEverythingAtOne) {
  for (int i = 0; i < 200; ++i) {
    const std::string id = std::string(29, 'a') + std::to_string(100 + i);
    EXPECT_FALSE(Sampler(0).keeps(id));
    EXPECT_TRUE(Sampler(1).keeps(id));
  }
}

TEST(Sampler, IsOffWithAnInvalidRate) {
  for (const double rate : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(Sampler(rate).active());
    EXPECT_EQ(Sampler(rate).rate(), 1.0);
  }
  EXPECT_FALSE(Sampler().active());
  EXPECT_TRUE(Sampler(0.5).active());
}

TEST(Sampler, ExemptsInvalidTraceIds) {
  EXPECT_TRUE(Sampler::isExempt(""));
  EXPECT_TRUE(Sampler::isExempt("abc"));
  EXPECT_TRUE(Sampler::isExempt(std::string(32, '0')));
  EXPECT_FALSE(Sampler::isExempt(std::string(31, '0') + "1"));
}

}  // namespace
}  // namespace spindle::agents
