#pragma once

#include <cstddef>

namespace spindle::http {

/// The progress of a parser over everything that it was given.
template <class Parser>
struct TotalProgress {
  typename Parser::State state = Parser::State::kMore;
  std::size_t used = 0;

  void add(const typename Parser::Progress& progress) {
    state = progress.state;
    used += progress.used;
  }
};

}  // namespace spindle::http
