#pragma once

namespace spindle {

/// While one lives, its thread, and the threads that it starts, give way quickly to whoever wakes
/// up: for work in the background that computes for milliseconds beside requests that are done in
/// microseconds. A hint: systems that do not know it (Linux before 6.12) go on as they are.
class GivesWayQuickly {
 public:
  GivesWayQuickly();
  ~GivesWayQuickly();
  GivesWayQuickly(const GivesWayQuickly&) = delete;
  GivesWayQuickly& operator=(const GivesWayQuickly&) = delete;
};

/// From now on the thread runs when no other thread wants to. For good: there is no way back
/// without privileges.
void runWhenIdle();

}  // namespace spindle
