#include "runs/run_name.h"

#include <array>
#include <cstddef>

#include "base/core/ascii.h"
#include "base/crypto/crypto.h"

namespace spindle::runs {
namespace {

constexpr std::size_t kRunIdLength = 8;

constexpr std::array<std::string_view, 64> kAdjectives = {
    "amber",    "ancient",  "azure",  "bold",   "brave",    "breezy",  "bright", "calm",
    "cheerful", "clear",    "clever", "copper", "cosy",     "crisp",   "daring", "deep",
    "eager",    "early",    "easy",   "fair",   "fearless", "gentle",  "golden", "graceful",
    "happy",    "hidden",   "honest", "humble", "jolly",    "keen",    "kind",   "lively",
    "lucky",    "mellow",   "merry",  "misty",  "noble",    "patient", "placid", "polished",
    "proud",    "quick",    "quiet",  "rapid",  "rosy",     "rustic",  "silver", "simple",
    "smooth",   "snowy",    "soft",   "solid",  "steady",   "sturdy",  "sunny",  "swift",
    "tidy",     "tranquil", "upbeat", "velvet", "vivid",    "warm",    "wise",   "young"};

constexpr std::array<std::string_view, 64> kNouns = {
    "acorn",   "anchor", "arch",   "aspen",   "badger",  "basin",  "beacon",  "birch",
    "bobbin",  "bridge", "brook",  "canyon",  "cedar",   "cliff",  "cloud",   "comet",
    "cove",    "crane",  "creek",  "delta",   "dune",    "eagle",  "ember",   "falcon",
    "fern",    "fjord",  "forest", "garden",  "glade",   "grove",  "harbour", "hazel",
    "heron",   "hill",   "island", "lagoon",  "lantern", "larch",  "loom",    "maple",
    "meadow",  "mesa",   "mill",   "orchard", "otter",   "pebble", "pine",    "plateau",
    "prairie", "quarry", "raven",  "reef",    "ridge",   "river",  "sail",    "shore",
    "spring",  "stone",  "summit", "thread",  "tide",    "valley", "willow",  "wren"};

}  // namespace

std::string randomRunId() { return lowerCase(randomAlphanumeric(kRunIdLength)); }

std::string randomRunName(std::int64_t sequence) {
  std::array<std::uint8_t, 2> dice{};
  randomBytes(dice.data(), dice.size());
  std::string name(kAdjectives[dice[0] % kAdjectives.size()]);
  name.append("-").append(kNouns[dice[1] % kNouns.size()]);
  return name.append("-").append(std::to_string(sequence));
}

}  // namespace spindle::runs
