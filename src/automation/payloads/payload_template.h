#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::automation {

/// A piece of a template: literal text, or a possible variable.
struct TemplatePiece {
  enum class Kind {
    kText,      ///< literal `text`
    kBraced,    ///< `${NAME}`; `text` is the name
    kUnbraced,  ///< `$NAME`; a variable only if NAME is a credential
    kMetadata,  ///< `${artifact_metadata.KEY}`; `text` is the key, including dots and spaces
  };

  Kind kind = Kind::kText;
  std::string text;
  bool in_string = false;  ///< inside a JSON string literal

  /// Returns the piece as written in the template.
  std::string verbatim() const;
};

/// Splits a template into pieces, in one pass that tracks JSON string literals. `$${` becomes the
/// text `${`. Never fails: text that is not a variable stays text.
std::vector<TemplatePiece> scanTemplate(std::string_view text);

}  // namespace spindle::automation
