#include "registry/repositories/artifact_event.h"

#include <cstdint>
#include <optional>

#include "events/outbox.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::registry {
namespace {

using schema::ifPresent, schema::integer, schema::string;

/// The data of an event: the variables that payload templates can use.
struct EventData {
  std::string entity;
  std::string project;
  std::optional<std::string> registry;
  std::string collection;
  std::string type;
  std::optional<std::int64_t> artifact_id;
  std::optional<std::int64_t> version_index;
  std::optional<json::Text> metadata;
  std::optional<std::vector<std::string>> aliases;
  std::optional<std::string> alias;
  std::optional<std::string> tag;
};

schema::Codec<EventData> eventDataCodec() {
  using D = EventData;
  return schema::Record<D>("ArtifactEventData")
      .required("entity_name", &D::entity, string())
      .required("project_name", &D::project, string())
      .optional("registry_name", &D::registry, ifPresent(string()))
      .required("artifact_collection_name", &D::collection, string())
      .required("artifact_type", &D::type, string())
      .optional("artifact_id", &D::artifact_id, ifPresent(integer()))
      .optional("artifact_version_index", &D::version_index, ifPresent(integer()))
      .optional("artifact_metadata", &D::metadata, ifPresent(schema::jsonObject()))
      .optional("aliases", &D::aliases, ifPresent(schema::list(string())))
      .optional("alias", &D::alias, ifPresent(string()))
      .optional("tag", &D::tag, ifPresent(string()))
      .codec();
}

std::string dataOf(const Place& place, const ArtifactEvent& event) {
  static const schema::Codec<EventData> codec = eventDataCodec();
  EventData data;
  data.entity = place.entity;
  data.project = place.project;
  if (!place.registry.empty()) data.registry = place.registry;
  data.collection = event.collection->name;
  data.type = event.collection->type;
  if (event.version != nullptr) {
    data.artifact_id = event.version->id;
    data.version_index = event.version->index;
    data.metadata = json::Text{event.version->metadata};
  }
  if (!event.aliases.empty()) data.aliases = event.aliases;
  if (!event.alias.empty()) data.alias = event.alias;
  if (!event.tag.empty()) data.tag = event.tag;
  return codec.toJson(data);
}

}  // namespace

Result<void> raise(storage::Session& session,
                   const ArtifactChangeContext& change_context,
                   const ArtifactEvent& event) {
  events::NewEvent fresh;
  fresh.type = event.type;
  fresh.subject.team_id = change_context.place.team_id;
  fresh.subject.project_id = change_context.place.project_id;
  fresh.subject.registry_id = change_context.place.registry_id;
  fresh.subject.collection_id = event.collection->id;
  if (event.version != nullptr) fresh.subject.artifact_id = event.version->id;
  fresh.author_id = change_context.actor.user_id;
  fresh.author = change_context.actor.username;
  fresh.data = dataOf(change_context.place, event);
  fresh.change_id = event.change_id;
  TRY(change_context.outbox.append(session, fresh));
  return {};
}

}  // namespace spindle::registry
