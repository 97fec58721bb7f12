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

#include "base/secret.h"
#include "config/settings.h"

namespace spindle::config {

/// A TOML value of a type that no setting has, in words: "a date".
struct ForeignValue {
  std::string type;
};

/// A value as it was found. In a file a value has a type, and `"8"` is not `8`; in the environment
/// and on the command line all is text, and the setting decides what the text means.
struct RawValue {
  std::variant<std::string, std::int64_t, bool, double, std::vector<std::string>, ForeignValue>
      value;
  bool typed = false;
};

/// The raw value of a flag or an environment variable.
RawValue untyped(std::string text);

/// `"text"` with its escapes: at once a TOML basic string and a JSON string.
std::string quote(std::string_view text);

/// `10s`, `250ms`, `1h30m`; units ms, s, m, h, d, each with a whole number before it.
std::optional<std::chrono::milliseconds> parseDuration(std::string_view text);
std::string formatDuration(std::chrono::milliseconds duration);

/// `32MiB`, `64kB`, `512B`, or a plain number of bytes; whole numbers only.
std::optional<std::size_t> parseSize(std::string_view text);
std::string formatSize(std::size_t bytes);

/// `127.0.0.1:8080`, `localhost:0`, `[::1]:8080`.
std::optional<ListenAddress> parseListenAddress(std::string_view text);

/// How values of one setting are written, read and explained.
template <class T>
struct Codec {
  std::string type;          ///< for the reference: `integer, 8 to 1000`
  std::string expected;      ///< completes "expected ": `an integer from 8 to 1000`
  std::string example;       ///< as it stands in a file: `200`, `"10s"`
  std::string text_example;  ///< as it stands in the environment: `200`, `10s`
  std::function<std::optional<T>(const RawValue&)> parse;
  /// The value as a literal that is valid TOML and valid JSON at once. A secret gives `"***"`.
  std::function<std::string(const T&)> literal;
  bool secret = false;
};

Codec<bool> boolean();
Codec<std::int64_t> integer(std::int64_t least, std::int64_t most, std::int64_t example);
Codec<std::chrono::milliseconds> duration(std::chrono::milliseconds least,
                                          std::chrono::milliseconds most,
                                          std::string_view example);
/// At most `most_items` of them, each as in duration(); separated by commas where all is text.
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
/// Networks such as `10.1.0.0/16`. Who uses them reads them for good.
Codec<std::vector<std::string>> networks();
/// A part of a whole: a number from 0 to 1.
Codec<double> fraction(std::string_view example);
/// An http or https URL without query and fragment, or empty for none. A slash at the end is
/// dropped.
Codec<std::string> webAddress(std::string_view example);
/// The beginning of a URL's path, `/a` or `/a/b`, or empty for none. A slash at the end is dropped.
Codec<std::string> urlPath(std::string_view example);
/// A secret of at least `least` characters, or empty for none.
Codec<Secret> secret(std::size_t least, std::string_view made_by);
/// `sqlite`, or a `postgres://` connection URI, of which only the scheme is ever shown.
Codec<Secret> metadataLocation();

/// The untemplated part of choice(): the position of the value among the names.
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
