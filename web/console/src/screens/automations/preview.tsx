// The body that the automation would send, rendered while the template is typed.

import { useMemo } from "preact/hooks";

import { type Event, type Webhook, listEvents } from "../../api/automation";
import { useQuery } from "../../api/cache";
import { Icon } from "../../ui/icons";
import { BodyView } from "../shared_automation/exchange";
import { Ago } from "../shared_parts/ago";
import { KEPT, ORGANIZATION, TEAM, type AutomationDraft } from "./draft";
import { eventValues, prettyTemplate, renderTemplate, sampleValues } from "./template";

export interface PreviewProps {
  team: string;
  draft: AutomationDraft;
  /** The text of the chosen template. */
  template: string;
  webhook: Webhook | undefined;
  now: number;
}

/** The newest event of the kind, whose values the preview shows. */
function useNewestEvent(team: string, type: string) {
  return useQuery<Event | null>({
    key: ["newest event", team, type],
    read: async (signal) => (await listEvents({ team, type: type as NonNullable<Parameters<typeof listEvents>[0]>["type"] & string, limit: 1 }, signal)).items[0] ?? null,
    keep: false,
  });
}

export function Preview({ team, draft, template, webhook, now }: PreviewProps) {
  const event = useNewestEvent(team, draft.type).data ?? null;
  const project = [TEAM, ORGANIZATION, KEPT].includes(draft.place) ? null : draft.place;
  const credentials = useMemo(
    () => [...(webhook?.access_token_ref ? ["ACCESS_TOKEN", webhook.access_token_ref] : []), ...(webhook?.secret_ref ? [webhook.secret_ref] : [])],
    [webhook],
  );
  const rendered = useMemo(() => {
    const values = event ? eventValues(event, draft.name) : sampleValues(draft.type, { team, project }, draft.name);
    const metadata = event?.data.artifact_metadata;
    return renderTemplate(template, { values, credentials, ...(metadata && typeof metadata === "object" ? { metadata: metadata as Record<string, unknown> } : {}) });
  }, [template, draft.type, draft.name, project, team, event, credentials]);
  return (
    <section class="preview" aria-label="Preview">
      <div class="preview-head">
        <h3>Preview</h3>
        <span class="faint">{event ? <>with the event of <Ago time={event.time} now={now} /></> : "with sample values: no such event has happened yet"}</span>
      </div>
      {rendered.error && <p class="ui-field-error" role="alert"><Icon name="alert" size={14} /> The body would be no JSON: {rendered.error}</p>}
      {rendered.unknown.length > 0 && (
        <p class="preview-warning" role="status"><Icon name="alert" size={14} /> No event has {rendered.unknown.map((name) => `\${${name}}`).join(", ")}: it would be sent as it is.</p>
      )}
      <div class="card"><BodyView text={rendered.error ? rendered.body : prettyTemplate(rendered.body)} label="rendered body" /></div>
    </section>
  );
}
