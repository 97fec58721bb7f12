#include "training/trainers/trainer_contacts.h"

#include <algorithm>

namespace spindle::training {

void TrainerContacts::record(const TrainerContact& contact) {
  const MutexLock lock(mutex_);
  contacts_.insert_or_assign(contact.name, contact);
  if (contacts_.size() <= kMost) return;
  contacts_.erase(
      std::min_element(contacts_.begin(), contacts_.end(), [](const auto& left, const auto& right) {
        return left.second.seen_at < right.second.seen_at;
      }));
}

std::vector<TrainerContact> TrainerContacts::all() const {
  const MutexLock lock(mutex_);
  std::vector<TrainerContact> all;
  all.reserve(contacts_.size());
  for (const auto& [name, contact] : contacts_) all.push_back(contact);
  return all;
}

}  // namespace spindle::training
