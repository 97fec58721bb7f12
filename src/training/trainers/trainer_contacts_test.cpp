#include "training/trainers/trainer_contacts.h"

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

using std::chrono::seconds;

TEST(TrainerContactsTest, LaterContactReplacesTheEarlierOne) {
  TrainerContacts contacts;
  contacts.record({"one", std::nullopt, Timestamp(seconds(1))});
  contacts.record({"one", "cuda", Timestamp(seconds(2))});
  const std::vector<TrainerContact> all = contacts.all();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].device, "cuda");
  EXPECT_EQ(all[0].seen_at, Timestamp(seconds(2)));
}

TEST(TrainerContactsTest, DropsTheOldestBeyondTheLimit) {
  TrainerContacts contacts;
  for (std::size_t i = 0; i <= TrainerContacts::kMost; ++i) {
    contacts.record({"t" + std::to_string(i), "cpu", Timestamp(seconds(i))});
  }
  const std::vector<TrainerContact> all = contacts.all();
  EXPECT_EQ(all.size(), TrainerContacts::kMost);
  EXPECT_TRUE(std::none_of(all.begin(), all.end(),
                           [](const TrainerContact& contact) { return contact.name == "t0"; }));
}

}  // namespace
}  // namespace spindle::training
