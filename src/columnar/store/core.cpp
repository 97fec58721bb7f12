#include "columnar/store/core.h"

#include <utility>

#include "columnar/store/recovery.h"

namespace spindle::columnar {

Core::Core(const StoreOptions& options,
           const std::vector<Family>& families,
           StoreMetrics& metrics,
           std::chrono::seconds pause)
    : parts_(options, families, metrics, pause),
      readers_(parts_.engine, options.readers),
      flusher_(parts_) {
  writer_ = std::make_unique<Writer>(parts_, recover(parts_), [this] { flusher_.wake(); });
  flusher_.start(*writer_);
}

Core::~Core() { stop(); }

void Core::stop() {
  stopped_ = true;
  flusher_.stop();
  if (writer_ != nullptr) writer_->stop();
}

}  // namespace spindle::columnar
