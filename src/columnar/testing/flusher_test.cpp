#include "columnar/store/flusher.h"

#include <chrono>
#include <string>
#include <vector>

#include "columnar/store/core.h"
#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

/// Writes more rows than a generation holds and lets the flusher work after each write.
/// @return the last generation in the file.
GenerationNumber storedAfterWrites(std::chrono::seconds pause) {
  const FolderForTest folder;
  MetricRegistry registry;
  StoreMetrics metrics(registry);
  StoreOptions options;
  options.folder = folder.path();
  options.recent_rows = 10;
  const std::vector<Family> families = noteFamilies();
  Core core(options, families, metrics, pause);
  for (int write = 0; write < 4; ++write) {
    FunctionChange change([write](Plan& plan) {
      for (int row = 0; row < 20; ++row) {
        plan.put(kNotes, "1", note(std::to_string(100 * write + row), row, "text"));
      }
      return Result<void>();
    });
    EXPECT_TRUE(core.writer().write(change, 4000));
    // Runs on the flusher's thread, after the work that is due.
    EXPECT_TRUE(core.flusher().removeBefore(kNotes, "2", "made", secondsAt(0)));
  }
  const GenerationNumber stored = core.parts().visibility.current()->stored;
  core.stop();
  return stored;
}

TEST(Flusher, MovesSealedGenerationsIntoTheFile) {
  EXPECT_GT(storedAfterWrites(std::chrono::seconds(0)), 0);
}

TEST(Flusher, WaitsAfterTheStoreWasOpenedAgain) {
  EXPECT_EQ(storedAfterWrites(std::chrono::hours(1)), 0);
}

}  // namespace
}  // namespace spindle::columnar
