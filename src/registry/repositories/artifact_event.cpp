#include "registry/repositories/artifact_event.h"

#include "events/outbox.h"
#include "json/writer.h"

namespace spindle::registry {
namespace {

std::string dataOf(const Place& place, const ArtifactEvent& event) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("entity_name").string(place.entity);
  out.key("project_name").string(place.project);
  if (!place.registry.empty()) out.key("registry_name").string(place.registry);
  out.key("artifact_collection_name").string(event.collection->name);
  out.key("artifact_type").string(event.collection->type);
  if (event.version != nullptr) {
    out.key("artifact_id").integer(event.version->id);
    if (event.version->index) out.key("artifact_version_index").integer(*event.version->index);
    out.key("artifact_metadata").raw(event.version->metadata);
  }
  if (!event.aliases.empty()) {
    out.key("aliases").beginArray();
    for (const std::string& alias : event.aliases) out.string(alias);
    out.endArray();
  }
  if (!event.alias.empty()) out.key("alias").string(event.alias);
  if (!event.tag.empty()) out.key("tag").string(event.tag);
  out.endObject();
  return text;
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
