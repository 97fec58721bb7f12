#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/spelling.h"

namespace spindle::objects {

/// What a ref points at.
enum class RefKind {
  kObject,
  kOp,
  kTable,
  kCall,
  kAgentTurn,
  kAgentConversation,
  kAgentSpan,
};

/// One step into what a ref points at.
struct RefEdge {
  enum class Kind {
    kAttribute,  ///< attr/<name> of an object
    kKey,        ///< key/<name> of a map
    kIndex,      ///< index/<int> of a list
    kRow,        ///< id/<row digest> of a table
  };

  Kind kind = Kind::kKey;
  std::string value;  ///< of kIndex: decimal digits

  bool operator==(const RefEdge&) const = default;
};

/// A reference, taken apart (tracing.md §4.2). Texts are percent-decoded.
struct Ref {
  wire::RefScheme scheme = wire::RefScheme::kInternal;  ///< kExternal, kInternal or kPrivate
  wire::Spelling spelling = wire::Spelling::kNeutral;
  std::string project;  ///< `entity/project`, the internal id, or empty in a private ref
  RefKind kind = RefKind::kObject;
  std::string name;     ///< of objects and ops their name; of all others what identifies them
  std::string version;  ///< of objects and ops only
  std::vector<RefEdge> edges;

  bool isObjectOrOp() const { return kind == RefKind::kObject || kind == RefKind::kOp; }
  bool operator==(const Ref&) const = default;
};

/// @return kInvalidArgument for a text that is no ref, a broken one, or an artifact's.
Result<Ref> parseRef(std::string_view text);
std::string printRef(const Ref& ref);

/// A ref divided where its project ends; views of the text. Less strict than parseRef(): whatever
/// follows the project is taken.
struct RefParts {
  std::string_view project;
  std::string_view tail;  ///< without the slash before it
};
/// Of what follows an external or internal scheme. Empty when there is no project or no tail.
std::optional<RefParts> splitProject(wire::RefScheme scheme, std::string_view rest);

/// Every byte but letters, digits and `-._~` as %XX.
std::string percentEncoded(std::string_view text);
/// Broken escapes stay as they are.
std::string percentDecoded(std::string_view text);

}  // namespace spindle::objects
