#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/migrate/migrate.h"
#include "transfer/progress.h"

namespace spindle::app {

/// Returns options of a move that prints nothing.
inline MigrateOptions silentMove() {
  class NoProgress final : public transfer::Progress {
   public:
    void begin(std::int64_t /*done*/, std::optional<std::int64_t> /*total*/) override {}
    void update(std::int64_t /*done*/) override {}
    void printLine(std::string_view /*line*/) override {}
  };
  MigrateOptions options;
  options.progress = [](MoveUnit) { return std::make_unique<NoProgress>(); };
  options.say = [](const std::string&) {};
  return options;
}

}  // namespace spindle::app
