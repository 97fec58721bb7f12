#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::automation {

/// A stretch of a template: text that stays, or a place where a value may go.
struct TemplatePiece {
  enum class Kind {
    kText,      ///< `text` as it is
    kBraced,    ///< `${NAME}`; `text` is the name
    kUnbraced,  ///< `$NAME`, which counts only where NAME is a credential
    kMetadata,  ///< `${artifact_metadata.KEY}`; `text` is the key, dots and spaces included
  };

  Kind kind = Kind::kText;
  std::string text;
  bool in_string = false;  ///< the place is inside a JSON string literal

  /// As it stood in the template.
  std::string verbatim() const;
};

/// Cuts a template into pieces, in one pass that follows JSON's string literals. `$${` becomes the
/// text `${`. Never fails: what is no token is text.
std::vector<TemplatePiece> scanTemplate(std::string_view text);

}  // namespace spindle::automation
