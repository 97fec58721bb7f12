#include "automation/payloads/payload_renderer.h"

#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "automation/payloads/payload_template.h"
#include "automation/payloads/payload_variable.h"
#include "json/document.h"
#include "json/escape.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::automation {
namespace {

bool isCredential(std::string_view name, const CredentialNames& attached) {
  return (attached.access_token && name == kAccessToken) ||
         (!attached.secret.empty() && name == attached.secret);
}

/// Returns true if rendering replaces this piece by a value.
bool isToken(const TemplatePiece& piece, const CredentialNames& attached) {
  switch (piece.kind) {
    case TemplatePiece::Kind::kText:
      return false;
    case TemplatePiece::Kind::kMetadata:
      return true;
    case TemplatePiece::Kind::kBraced:
      return findPayloadVariable(piece.text) != nullptr || isCredential(piece.text, attached);
    case TemplatePiece::Kind::kUnbraced:
      return isCredential(piece.text, attached);
  }
  return false;
}

Error violation(std::string_view type,
                std::string message,
                const std::vector<LocStep>& where,
                std::string ctx = {}) {
  Violation violation;
  violation.type = type;
  violation.loc = where;
  violation.msg = std::move(message);
  violation.ctx = std::move(ctx);
  return Error::invalid({std::move(violation)});
}

/// Appends a text with JSON escapes, without the quotes of a string literal.
void appendInner(std::string& out, std::string_view text) {
  const std::string quoted = json::quoted(text);
  out.append(quoted, 1, quoted.size() - 2);
}

void appendText(std::string& out, std::string_view text, bool in_string) {
  if (in_string) {
    appendInner(out, text);
  } else {
    json::appendQuoted(out, text);
  }
}

void appendNothing(std::string& out, bool in_string) {
  if (!in_string) out += "null";
}

void appendNode(std::string& out, const json::Node& node, bool in_string) {
  if (node.isString()) return appendText(out, node.text(), in_string);
  if (node.isNull()) return appendNothing(out, in_string);
  const std::string compact = json::compact(node.raw());
  if (in_string) {
    appendInner(out, compact);
  } else {
    out += compact;
  }
}

class Renderer {
 public:
  Renderer(const PayloadFacts& facts, const Credentials& credentials)
      : facts_(facts), credentials_(credentials), attached_(credentials.names()) {
    if (facts.metadata.empty()) return;
    auto parsed = json::Document::parse(facts.metadata, json::kStoredDepth);
    if (auto* document = std::get_if<json::Document>(&parsed)) metadata_ = std::move(*document);
  }

  std::string run(std::string_view text) {
    for (const TemplatePiece& piece : scanTemplate(text)) {
      if (!isToken(piece, attached_)) {
        out_ += piece.verbatim();
      } else if (piece.kind == TemplatePiece::Kind::kMetadata) {
        appendMetadata(piece);
      } else if (isCredential(piece.text, attached_)) {
        const bool token = attached_.access_token && piece.text == kAccessToken;
        const Secret& value = token ? *credentials_.access_token : credentials_.secret;
        appendText(out_, value.reveal(), piece.in_string);
      } else {
        appendVariable(*findPayloadVariable(piece.text), piece.in_string);
      }
    }
    return std::move(out_);
  }

 private:
  void appendMetadata(const TemplatePiece& piece) {
    std::optional<json::Node> value;
    if (metadata_ && metadata_->root().isObject()) value = metadata_->root().find(piece.text);
    if (value) {
      appendNode(out_, *value, piece.in_string);
    } else {
      appendNothing(out_, piece.in_string);
    }
  }

  void appendVariable(const PayloadVariable& variable, bool in_string) {
    const auto found = facts_.variables.find(variable.name);
    if (found == facts_.variables.end()) {
      appendNothing(out_, in_string);
    } else if (variable.kind == VariableKind::kNumber) {
      out_ += found->second;
    } else {
      appendText(out_, found->second, in_string);
    }
  }

  const PayloadFacts& facts_;
  const Credentials& credentials_;
  const CredentialNames attached_;
  std::optional<json::Document> metadata_;
  std::string out_;
};

TemplateWarning unknownName(const std::string& name) {
  return {"unknown_variable", name,
          "`${" + name +
              "}` is neither a variable nor a secret of the webhook; it is sent as written."};
}

TemplateWarning secretInBody(const std::string& name) {
  return {
      "secret_in_body", name,
      "The payload contains the secret `" + name + "`, which is also the key of the signature."};
}

}  // namespace

Result<std::vector<TemplateWarning>> checkTemplate(std::string_view text,
                                                   const CredentialNames& attached,
                                                   const std::vector<LocStep>& where) {
  if (text.size() > kMaxTemplateBytes) {
    return violation("string_too_long", "A template has at most 65536 bytes.", where);
  }
  std::vector<TemplateWarning> warnings;
  std::set<std::string> warned;
  std::string sample;
  for (const TemplatePiece& piece : scanTemplate(text)) {
    if (isToken(piece, attached)) {
      if (!piece.in_string) sample += '0';
      if (piece.kind != TemplatePiece::Kind::kMetadata && piece.text == attached.secret &&
          warned.insert(piece.text).second) {
        warnings.push_back(secretInBody(piece.text));
      }
      continue;
    }
    sample += piece.verbatim();
    if (piece.kind != TemplatePiece::Kind::kBraced) continue;
    if (!piece.in_string) {
      return violation("unknown_variable",
                       "`${" + piece.text + "}` is neither a variable nor a secret of the webhook.",
                       where);
    }
    if (warned.insert(piece.text).second) warnings.push_back(unknownName(piece.text));
  }
  const auto parsed = json::Document::parse(std::move(sample), json::kStoredDepth);
  if (const auto* broken = std::get_if<json::SyntaxError>(&parsed)) {
    return violation("json_invalid",
                     "The template does not result in valid JSON: " + broken->message, where,
                     "{\"error\":" + json::quoted(broken->message) + "}");
  }
  const json::Node root = std::get<json::Document>(parsed).root();
  if (!root.isObject() && !root.isArray()) {
    return violation("json_invalid", "The template must be a JSON object or array.", where,
                     R"({"error":"neither an object nor an array"})");
  }
  return warnings;
}

Result<std::string> renderPayload(std::string_view text,
                                  const PayloadFacts& facts,
                                  const Credentials& credentials) {
  std::string body = Renderer(facts, credentials).run(text);
  if (body.size() > kMaxPayloadBytes) {
    return Error(ErrorCode::kTooLarge, "The payload is larger than 262144 bytes.")
        .because("body_too_large");
  }
  if (std::holds_alternative<json::SyntaxError>(json::Document::parse(body, json::kStoredDepth))) {
    return Error(ErrorCode::kUnprocessable, "The rendered payload is not valid JSON.")
        .because("render_error");
  }
  return body;
}

}  // namespace spindle::automation
