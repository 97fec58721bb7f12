#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/crypto/secret.h"
#include "config/settings.h"

namespace spindle::config {

/// The type, in words, of a TOML value that no setting accepts: "a date".
struct UnsupportedValue {
  std::string type;
};

/// A value before parsing. Values of a file are typed: `"8"` is not `8`. Values of the environment
/// and the command line are text; the codec of the setting interprets them.
struct RawValue {
  std::variant<std::string, std::int64_t, bool, double, std::vector<std::string>, UnsupportedValue>
      value;
  bool typed = false;
};

/// Returns the raw value of a flag or an environment variable.
RawValue untyped(std::string text);

/// Quotes and escapes the text as a literal that is a TOML basic string and a JSON string.
std::string quote(std::string_view text);

/// Parses `10s`, `250ms`, `1h30m`: whole numbers, each with a unit: ms, s, m, h or d.
std::optional<std::chrono::milliseconds> parseDuration(std::string_view text);
std::string formatDuration(std::chrono::milliseconds duration);

/// Parses `32MiB`, `64kB`, `512B`, or a plain number of bytes; whole numbers only.
std::optional<std::size_t> parseSize(std::string_view text);
std::string formatSize(std::size_t bytes);

/// Parses `127.0.0.1:8080`, `localhost:0`, `[::1]:8080`.
std::optional<ListenAddress> parseListenAddress(std::string_view text);

/// Parses, formats and describes the values of one setting.
template <class T>
struct Codec {
  std::string type;          ///< for the reference: `integer, 8 to 1000`
  std::string expected;      ///< completes "expected ": `an integer from 8 to 1000`
  std::string example;       ///< as in a file: `200`, `"10s"`
  std::string text_example;  ///< as in the environment: `200`, `10s`
  std::function<std::optional<T>(const RawValue&)> parse;
  /// Formats a value as a literal that is valid TOML and valid JSON. A secret becomes `"***"`.
  std::function<std::string(const T&)> literal;
  bool secret = false;
};

Codec<bool> boolean();
Codec<std::int64_t> integer(std::int64_t least, std::int64_t most, std::int64_t example);
Codec<std::chrono::milliseconds> duration(std::chrono::milliseconds least,
                                          std::chrono::milliseconds most,
                                          std::string_view example);
/// A list of at most `most_items` durations, each as in duration(). In text, commas separate them.
Codec<std::vector<std::chrono::milliseconds>> durations(std::chrono::milliseconds least,
                                                        std::chrono::milliseconds most,
                                                        std::size_t most_items);
Codec<std::size_t> size(std::size_t least, std::size_t most, std::string_view example);
Codec<std::filesystem::path> path(std::string_view example);
Codec<ListenAddress> listenAddress();
/// Web origins such as `https://app.example.com`, or `*` for any.
Codec<std::vector<std::string>> origins();
/// Host names such as `ci.example.com` or `*.example.com`.
Codec<std::vector<std::string>> hosts();
/// Networks such as `10.1.0.0/16`. Checks the characters only; the user of the setting parses them.
Codec<std::vector<std::string>> networks();
/// A number from 0 to 1.
Codec<double> fraction(std::string_view example);
/// An http or https URL without query and fragment, or empty for none. Removes trailing slashes.
/// A text of at most `most` printable ASCII characters.
Codec<std::string> plainText(std::size_t most, std::string_view example);
Codec<std::string> httpUrl(std::string_view example);
/// The prefix of a URL path, `/a` or `/a/b`, or empty for none. Removes trailing slashes.
Codec<std::string> urlPath(std::string_view example);
/// A secret of at least `least` characters, or empty for none. `made_by` is a command that prints a
/// valid one.
Codec<Secret> secret(std::size_t least, std::string_view made_by);
/// `sqlite`, or a `postgres://` connection URI. Shows only the scheme of the URI.
Codec<Secret> metadataLocation();

/// Non-template part of choice(). The value is an index into `names`.
Codec<std::size_t> choiceOf(std::vector<std::string> names);

template <class Enum>
Codec<Enum> choice(std::initializer_list<std::pair<std::string_view, Enum>> options) {
  std::vector<std::string> names;
  std::vector<Enum> values;
  for (const auto& option : options) {
    names.emplace_back(option.first);
    values.push_back(option.second);
  }
  Codec<std::size_t> core = choiceOf(std::move(names));
  Codec<Enum> codec;
  codec.type = core.type;
  codec.expected = core.expected;
  codec.example = core.example;
  codec.text_example = core.text_example;
  codec.parse = [values, parse = core.parse](const RawValue& raw) -> std::optional<Enum> {
    const std::optional<std::size_t> index = parse(raw);
    if (!index) return std::nullopt;
    return values[*index];
  };
  codec.literal = [values, literal = core.literal](const Enum& value) {
    std::size_t index = 0;
    while (values[index] != value) ++index;
    return literal(index);
  };
  return codec;
}

}  // namespace spindle::config
