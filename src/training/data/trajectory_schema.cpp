#include "training/data/trajectory_schema.h"

#include <utility>
#include <variant>

#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"

namespace spindle::training {
namespace {

using schema::Alternative, schema::anyOf, schema::Codec, schema::integer, schema::list,
    schema::literal, schema::nullable, schema::number, schema::Record, schema::string,
    schema::validatedJson;

// These types only describe the schema; the values are checked and discarded.

struct TextPart {
  std::string type;
  std::string text;
};
struct ImageUrl {
  std::string url;
  std::string detail = "auto";
};
struct AudioInput {
  std::string data;
  std::string format;
};
struct FileInput {
  std::string file_data;
  std::string file_id;
  std::string filename;
};
template <class T>
struct MediaPart {
  std::string type;
  T media;
};
using UserPart =
    std::variant<TextPart, MediaPart<ImageUrl>, MediaPart<AudioInput>, MediaPart<FileInput>>;
using TextContent = std::variant<std::string, std::vector<TextPart>>;
using UserContent = std::variant<std::string, std::vector<UserPart>>;

struct NamedText {
  std::string name;
  std::string text;
};
struct ToolCall {
  std::string id;
  std::string type;
  std::optional<NamedText> function;
  std::optional<NamedText> custom;
};

struct Message {
  std::string role;
  std::string name;
};
struct TextMessage : Message {
  TextContent content;
};
struct UserMessage : Message {
  UserContent content;
};
struct AssistantMessage : Message {
  std::optional<TextContent> content;
  std::optional<std::string> refusal;
  std::optional<std::vector<ToolCall>> tool_calls;
  std::optional<NamedText> function_call;
};
struct ToolMessage : TextMessage {
  std::string tool_call_id;
};
struct FunctionMessage : Message {
  std::optional<std::string> content;
};

struct TopLogprob {
  std::string token;
  std::optional<std::vector<std::int64_t>> bytes;
  double logprob = 0;
};
struct TokenLogprob : TopLogprob {
  std::vector<TopLogprob> top_logprobs;
};
struct Logprobs {
  std::optional<std::vector<TokenLogprob>> content;
  std::optional<std::vector<TokenLogprob>> refusal;
};
struct Choice {
  std::string finish_reason;
  std::int64_t index = 0;
  AssistantMessage message;
  std::optional<Logprobs> logprobs;
};

struct FunctionTool {
  std::string name;
  std::string description;
  json::Text parameters;
  std::optional<bool> strict;
};
struct WrappedTool {
  std::string type;
  FunctionTool function;
};
struct History {
  json::Text messages_and_choices;
  std::optional<json::Text> tools;
};

using MessageOrChoice =
    std::variant<Choice, TextMessage, UserMessage, AssistantMessage, ToolMessage, FunctionMessage>;

Codec<TextPart> textPart(const std::string& name, const std::string& type, std::string_view text) {
  return Record<TextPart>(name)
      .required("type", &TextPart::type, literal({type}))
      .required(text, &TextPart::text, string(), "")
      .codec();
}

template <class T>
Codec<MediaPart<T>> mediaPart(const std::string& name,
                              const std::string& type,
                              const Codec<T>& media) {
  return Record<MediaPart<T>>(name)
      .required("type", &MediaPart<T>::type, literal({type}))
      .required(type, &MediaPart<T>::media, media, "")
      .codec();
}

Codec<TextContent> textContent() {
  return anyOf(Alternative<std::string>{"str", string()},
               Alternative<std::vector<TextPart>>{
                   "list", list(textPart("TrajectoryTextPart", "text", "text"))});
}

Codec<UserContent> userContent() {
  const Codec<ImageUrl> image =
      Record<ImageUrl>("TrajectoryImageUrl")
          .required("url", &ImageUrl::url, string())
          .optional("detail", &ImageUrl::detail, literal({"auto", "low", "high"}))
          .codec();
  const Codec<AudioInput> audio =
      Record<AudioInput>("TrajectoryAudioInput")
          .required("data", &AudioInput::data, string())
          .required("format", &AudioInput::format, literal({"wav", "mp3"}))
          .codec();
  const Codec<FileInput> file = Record<FileInput>("TrajectoryFileInput")
                                    .optional("file_data", &FileInput::file_data, string())
                                    .optional("file_id", &FileInput::file_id, string())
                                    .optional("filename", &FileInput::filename, string())
                                    .codec();
  const Codec<UserPart> part = anyOf(
      Alternative<TextPart>{"text", textPart("TrajectoryTextPart", "text", "text")},
      Alternative<MediaPart<ImageUrl>>{"image_url",
                                       mediaPart("TrajectoryImagePart", "image_url", image)},
      Alternative<MediaPart<AudioInput>>{"input_audio",
                                         mediaPart("TrajectoryAudioPart", "input_audio", audio)},
      Alternative<MediaPart<FileInput>>{"file", mediaPart("TrajectoryFilePart", "file", file)});
  return anyOf(Alternative<std::string>{"str", string()},
               Alternative<std::vector<UserPart>>{"list", list(part)});
}

template <class T>
Record<T> messageRecord(const std::string& name, std::vector<std::string> roles) {
  Record<T> record(name);
  record.required("role", &T::role, literal(std::move(roles))).optional("name", &T::name, string());
  return record;
}

Codec<NamedText> namedText(const std::string& name, std::string_view text) {
  return Record<NamedText>(name)
      .required("name", &NamedText::name, string())
      .required(text, &NamedText::text, string(), "")
      .codec();
}

Codec<ToolCall> toolCall() {
  return schema::described(
      Record<ToolCall>("TrajectoryToolCall")
          .required("id", &ToolCall::id, string())
          .required("type", &ToolCall::type, literal({"function", "custom"}))
          .optional("function", &ToolCall::function,
                    schema::ifPresent(namedText("TrajectoryFunctionCall", "arguments")),
                    "For type `function`; `arguments` is JSON text.")
          .optional("custom", &ToolCall::custom,
                    schema::ifPresent(namedText("TrajectoryCustomCall", "input")),
                    "For type `custom`.")
          .check([](const ToolCall& call) -> std::optional<schema::RuleError> {
            if (call.type == "function" ? call.function.has_value() : call.custom.has_value()) {
              return std::nullopt;
            }
            return schema::valueError(
                "a tool call needs the member that its type names: function or custom");
          })
          .codec(),
      R"({"anyOf":[{"properties":{"type":{"const":"function"}},"required":["function"]},)"
      R"({"properties":{"type":{"const":"custom"}},"required":["custom"]}]})");
}

Codec<AssistantMessage> assistantMessage() {
  Record<AssistantMessage> record =
      messageRecord<AssistantMessage>("TrajectoryAssistantMessage", {"assistant"});
  const Codec<TextPart> part = Record<TextPart>("TrajectoryAnswerPart")
                                   .required("type", &TextPart::type, literal({"text", "refusal"}))
                                   .optional("text", &TextPart::text, string(), "For type `text`.")
                                   .codec();
  const Codec<TextContent> content = anyOf(Alternative<std::string>{"str", string()},
                                           Alternative<std::vector<TextPart>>{"list", list(part)});
  return record.optional("content", &AssistantMessage::content, nullable(content))
      .optional("refusal", &AssistantMessage::refusal, nullable(string()))
      .optional("tool_calls", &AssistantMessage::tool_calls, nullable(list(toolCall())))
      .optional("function_call", &AssistantMessage::function_call,
                nullable(namedText("TrajectoryFunctionCall", "arguments")))
      .codec();
}

template <class T>
Record<T> logprobRecord(const std::string& name) {
  Record<T> record(name);
  record.required("token", &T::token, string())
      .optional("bytes", &T::bytes, nullable(list(integer())))
      .required("logprob", &T::logprob, number());
  return record;
}

Codec<Choice> choice() {
  Record<TokenLogprob> token = logprobRecord<TokenLogprob>("TrajectoryTokenLogprob");
  token.required("top_logprobs", &TokenLogprob::top_logprobs,
                 list(logprobRecord<TopLogprob>("TrajectoryTopLogprob").codec()));
  const auto tokens = nullable(list(token.codec()));
  const Codec<Logprobs> logprobs = Record<Logprobs>("TrajectoryLogprobs")
                                       .optional("content", &Logprobs::content, tokens)
                                       .optional("refusal", &Logprobs::refusal, tokens)
                                       .codec();
  return Record<Choice>("TrajectoryChoice")
      .required("finish_reason", &Choice::finish_reason,
                literal({"stop", "length", "tool_calls", "content_filter", "function_call"}))
      .required("index", &Choice::index, integer())
      .required("message", &Choice::message, assistantMessage())
      .optional("logprobs", &Choice::logprobs, nullable(logprobs),
                "Log probabilities of all sampled tokens. Without them the choice is only context.")
      .codec();
}

Codec<json::Text> messagesAndChoices() {
  // Choices come first because they contain most of the data.
  const Codec<MessageOrChoice> item =
      anyOf(Alternative<Choice>{"Choice", choice()},
            Alternative<TextMessage>{
                "SystemMessage",
                messageRecord<TextMessage>("TrajectorySystemMessage", {"developer", "system"})
                    .required("content", &TextMessage::content, textContent())
                    .codec()},
            Alternative<UserMessage>{"UserMessage",
                                     messageRecord<UserMessage>("TrajectoryUserMessage", {"user"})
                                         .required("content", &UserMessage::content, userContent())
                                         .codec()},
            Alternative<AssistantMessage>{"AssistantMessage", assistantMessage()},
            Alternative<ToolMessage>{
                "ToolMessage", messageRecord<ToolMessage>("TrajectoryToolMessage", {"tool"})
                                   .required("content", &ToolMessage::content, textContent())
                                   .required("tool_call_id", &ToolMessage::tool_call_id, string())
                                   .codec()},
            Alternative<FunctionMessage>{
                "FunctionMessage",
                messageRecord<FunctionMessage>("TrajectoryFunctionMessage", {"function"})
                    .required("content", &FunctionMessage::content, nullable(string()))
                    .codec()});
  return validatedJson(list(item));
}

Codec<json::Text> tools() {
  const Codec<FunctionTool> bare =
      Record<FunctionTool>("TrajectoryFunction")
          .required("name", &FunctionTool::name, string())
          .optional("description", &FunctionTool::description, string())
          .optional("parameters", &FunctionTool::parameters, schema::jsonObject())
          .optional("strict", &FunctionTool::strict, nullable(schema::boolean()))
          .codec();
  const Codec<WrappedTool> wrapped =
      Record<WrappedTool>("TrajectoryTool")
          .required("type", &WrappedTool::type, literal({"function"}))
          .required("function", &WrappedTool::function, bare)
          .codec();
  return validatedJson(list(anyOf(Alternative<WrappedTool>{"FunctionTool", wrapped},
                                  Alternative<FunctionTool>{"Function", bare})));
}

Codec<TrajectoryBody> trajectoryCodec() {
  const Codec<History> history =
      Record<History>("TrajectoryHistory")
          .required("messages_and_choices", &History::messages_and_choices, messagesAndChoices())
          .optional("tools", &History::tools, nullable(tools()))
          .codec();
  const Codec<TrajectoryMetadata> notes =
      Record<TrajectoryMetadata>("TrajectoryMetadata")
          .optional("scenario_id", &TrajectoryMetadata::scenario_id, schema::anyJson(),
                    "Trajectories with the same value count as one scenario.")
          .codec();
  return schema::described(
      Record<TrajectoryBody>("Trajectory")
          .optional("messages_and_choices", &TrajectoryBody::messages_and_choices,
                    messagesAndChoices(),
                    "Choices were sampled from the model and are trained on; messages are context.")
          .optional("tools", &TrajectoryBody::tools, nullable(tools()))
          .optional("additional_histories", &TrajectoryBody::additional_histories,
                    validatedJson(list(history)), "Further conversations with the same reward.")
          .optional("exchanges", &TrajectoryBody::exchanges, schema::jsonObject(),
                    "Raw requests and responses, instead of the three members above.")
          .optional("reward", &TrajectoryBody::reward, number())
          .optional("initial_policy_version", &TrajectoryBody::initial_policy_version,
                    nullable(integer()), "Step of the model at the start of sampling.")
          .optional("final_policy_version", &TrajectoryBody::final_policy_version,
                    nullable(integer()), "Step of the model at the end of sampling.")
          .optional("metrics", &TrajectoryBody::metrics, schema::map(number()))
          .optional("metadata", &TrajectoryBody::metadata, notes)
          .optional("logs", &TrajectoryBody::logs, list(string()))
          .check([](const TrajectoryBody& body) -> std::optional<schema::RuleError> {
            const bool legacy = body.messages_and_choices.json != "[]" || body.tools ||
                                body.additional_histories.json != "[]";
            if (body.exchanges.json == "{}" || !legacy) return std::nullopt;
            return schema::valueError(
                "exchanges cannot be combined with messages_and_choices, tools or "
                "additional_histories");
          })
          .codec(),
      R"({"anyOf":[{"properties":{"exchanges":{"maxProperties":0}}},)"
      R"({"properties":{"messages_and_choices":{"maxItems":0},"tools":{"type":"null"},)"
      R"("additional_histories":{"maxItems":0}}}]})");
}

}  // namespace

Codec<GroupBody> groupCodec() {
  const Codec<ExceptionBody> exception =
      Record<ExceptionBody>("TrajectoryException")
          .required("type", &ExceptionBody::type, string())
          .required("message", &ExceptionBody::message, string())
          .required("traceback", &ExceptionBody::traceback, string())
          .codec();
  return Record<GroupBody>("TrajectoryGroup")
      .optional("trajectories", &GroupBody::trajectories, list(trajectoryCodec()),
                "Attempts at the same task, whose rewards are compared.")
      .optional("exceptions", &GroupBody::exceptions, list(exception), "Attempts that failed.")
      .optional("metadata", &GroupBody::metadata, schema::jsonObject())
      .optional("metrics", &GroupBody::metrics, schema::map(number()))
      .optional("logs", &GroupBody::logs, list(string()))
      .codec();
}

GroupStats groupStatsOf(const GroupBody& group) {
  GroupStats figures;
  for (const TrajectoryBody& body : group.trajectories) {
    TrajectoryStats& each = figures.trajectories.emplace_back();
    each.reward = body.reward;
    each.metrics = body.metrics;
    if (body.metadata.scenario_id.json != "null") each.scenario = body.metadata.scenario_id.json;
  }
  figures.exceptions = static_cast<std::int64_t>(group.exceptions.size());
  figures.metrics = group.metrics;
  return figures;
}

}  // namespace spindle::training
