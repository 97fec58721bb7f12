#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "engine/model.h"

struct llama_context;

namespace spindle::engine {

/// Turns texts into rows of numbers of length one, so that texts of like meaning are near. Has a
/// memory of its own beside that of generations. Thread-safe: those who come together take turns.
class Embedder {
 public:
  struct Options {
    std::int64_t context = 4096;  ///< tokens of one text
    int threads = 0;              ///< 0: as many as there are cores
  };

  /// The model outlives it. The rows of a text's tokens become one as the file says, else their
  /// mean. @throws std::runtime_error
  Embedder(const Model& model, const Options& options);
  ~Embedder();
  Embedder(const Embedder&) = delete;
  Embedder& operator=(const Embedder&) = delete;

  /// A row for each text. @return kInvalidArgument for texts that are empty, too long or unknown to
  /// the model
  Result<std::vector<std::vector<float>>> rowsOf(const std::vector<std::vector<Token>>& texts);

  /// Numbers in a row.
  std::size_t width() const { return width_; }
  /// The most tokens that a text may have.
  std::size_t longest() const { return longest_; }
  std::uint64_t memoryBytes() const;

 private:
  Result<void> check(const std::vector<std::vector<Token>>& texts) const;
  Result<void> compute(const std::vector<std::vector<Token>>& texts,
                       std::size_t begin,
                       std::size_t end,
                       std::vector<std::vector<float>>& rows);

  const Model& model_;
  const std::size_t longest_;
  const std::size_t width_;
  Mutex mutex_;
  llama_context* context_ SPINDLE_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace spindle::engine
