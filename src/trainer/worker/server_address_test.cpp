#include "trainer/worker/server_address.h"

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

TEST(ServerAddresses, AreNormalized) {
  for (const char* typed : {"http://host:8080", "http://host:8080/", "http://host:8080//"})
    EXPECT_EQ(*serverAddressOf(typed), "http://host:8080");
  EXPECT_EQ(*serverAddressOf("https://host/below"), "https://host/below");
  EXPECT_EQ(*serverAddressOf("unix:/run/trainer.sock"), "unix:/run/trainer.sock");
}

TEST(ServerAddresses, ReportErrors) {
  const auto problem = [](const std::string& typed) {
    const Result<std::string> address = serverAddressOf(typed);
    return address ? std::string() : address.error().message();
  };
  EXPECT_EQ(problem("http://host:8080/v1"),
            "--server http://host:8080/v1: leave out /v1: --server http://host:8080");
  EXPECT_EQ(problem("http://host:8080/api/v1/"),
            "--server http://host:8080/api/v1/: leave out /api/v1: --server http://host:8080");
  EXPECT_EQ(problem("host:8080"),
            "--server host:8080: an address begins with http:// or https://, as in "
            "http://localhost:8080");
  EXPECT_EQ(problem("http://"), "--server http://: it names no host, as in http://localhost:8080");
  EXPECT_EQ(problem("http://host:8080?x=1"),
            "--server http://host:8080?x=1: it is not an address, as in http://localhost:8080");
}

}  // namespace
}  // namespace spindle::trainer
