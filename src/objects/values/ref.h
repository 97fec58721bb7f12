#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "wire/spelling.h"

namespace spindle::objects {

/// The kind of target of a ref.
enum class RefKind {
  kObject,
  kOp,
  kTable,
  kCall,
  kAgentTurn,
  kAgentConversation,
  kAgentSpan,
};

/// One step from the target of a ref into its value.
struct RefEdge {
  enum class Kind {
    kAttribute,  ///< attr/<name> of an object
    kKey,        ///< key/<name> of a map
    kIndex,      ///< index/<int> of a list
    kRow,        ///< id/<row digest> of a table
  };

  Kind kind = Kind::kKey;
  std::string value;  ///< if kIndex: decimal digits

  bool operator==(const RefEdge&) const = default;
};

/// A parsed reference (tracing.md §4.2). Texts are percent-decoded.
struct Ref {
  wire::RefScheme scheme = wire::RefScheme::kInternal;  ///< kExternal, kInternal or kPrivate
  wire::Spelling spelling = wire::Spelling::kNeutral;
  std::string project;  ///< `entity/project`, the internal id, or empty in a private ref
  RefKind kind = RefKind::kObject;
  std::string name;     ///< name of an object or op; id of all other targets
  std::string version;  ///< only for objects and ops
  std::vector<RefEdge> edges;

  bool isObjectOrOp() const { return kind == RefKind::kObject || kind == RefKind::kOp; }
  bool operator==(const Ref&) const = default;
};

/// Parses a ref. @return kInvalidArgument for other text, an invalid ref, or an artifact ref.
Result<Ref> parseRef(std::string_view text);
std::string printRef(const Ref& ref);

/// Returns kInvalidArgument for a text that is not a valid ref, with the start of the text.
Error invalidRef(std::string_view text);

/// A ref split after its project; views of the text. Less strict than parseRef(): accepts any text
/// after the project.
struct RefParts {
  std::string_view project;
  std::string_view tail;  ///< without the leading slash
};
/// Splits the text after an external or internal scheme. Returns nothing without project or tail.
std::optional<RefParts> splitProject(wire::RefScheme scheme, std::string_view rest);

/// Encodes every byte except letters, digits and `-._~` as %XX.
std::string percentEncoded(std::string_view text);
/// Decodes %XX; invalid escapes stay unchanged.
std::string percentDecoded(std::string_view text);

}  // namespace spindle::objects
