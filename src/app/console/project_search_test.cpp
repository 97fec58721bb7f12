#include "app/console/project_search.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

TEST(PagesOfProjects, EncodeTheirNames) {
  EXPECT_EQ(pageOf({"p1", "acme", "support"}, "runs/r1"), "p/acme/support/runs/r1");
  EXPECT_EQ(pageOf({"p1", "acme", "a b/../<x>&"}, "runs"), "p/acme/a%20b%2F..%2F%3Cx%3E%26/runs");
}

}  // namespace
}  // namespace spindle::app
