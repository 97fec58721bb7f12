// The annotation queues of a project.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { listQueues, queueStats } from "../../api/queues";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount, plural } from "../../format/numbers";
import { formatRelative } from "../../format/time";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { Table } from "../../ui/table";
import { NewQueueDialog } from "./new_queue";

export function QueueList() {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const [now] = useState(Date.now);
  const queues = useQuery({ key: ["queues", project], read: (signal) => listQueues({ project_id: project }, signal) });
  const ids = queues.data?.map(({ id }) => id) ?? [];
  const stats = useQuery({
    key: ["queues", project, "stats", ids.join(" ")],
    read: async (signal) => new Map((await queueStats({ project_id: project, queue_ids: ids }, signal)).stats.map((item) => [item.queue_id, item])),
    enabled: ids.length > 0,
  });
  useShortcut({ keys: "n", label: "New queue", group: "Annotation" }, () => setAdding(true), write);
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  return (
    <Page title="Annotation" lead="People read calls one by one and answer questions about them." actions={write && <Button kind="primary" icon="add" onClick={() => setAdding(true)}>New queue</Button>}>
      <Loaded state={queues} what="list of queues">
        {(all) => all.length === 0 ? (
          <Empty
            title="No annotation queue yet" icon="list" actions={write && <Button kind="primary" icon="add" onClick={() => setAdding(true)}>New queue</Button>}
            snippets={[{ title: "Add calls from a program", text: `curl -u api:$KEY ${server}/annotation_queues/$QUEUE/items \\\n  -d '{"project_id": "${project}", "call_ids": ["'$CALL'"], "display_fields": ["inputs", "output"]}'` }]}
          >
            <p>A queue has questions, such as “Is the answer right?”, and calls to ask them about. Answers become feedback on the calls, to filter, evaluate and train with.</p>
          </Empty>
        ) : (
          <Table
            label="Annotation queues" rows={all} rowKey={({ id }) => id} rowHref={({ id }) => href(paths.queues(project, id))}
            columns={[
              {
                key: "name", title: "Name", wide: true,
                cell: ({ name, description }) => <span class="queue-name"><strong><SafeText text={name} line /></strong>{description && <span class="faint truncate"><SafeText text={description} line /></span>}</span>,
              },
              {
                key: "progress", title: "Progress",
                cell: ({ id }) => {
                  const found = stats.data?.get(id);
                  if (!found) return "";
                  if (found.total_items === 0) return <span class="faint">empty</span>;
                  if (found.completed_items >= found.total_items) return <Status state="completed" word={`all ${formatCount(found.total_items)} done`} />;
                  return (
                    <span class="queue-progress">
                      <progress class="queue-bar" max={found.total_items} value={found.completed_items} aria-label="Items done" />
                      <span class="soft nowrap">{formatCount(found.completed_items)} of {formatCount(found.total_items)}</span>
                    </span>
                  );
                },
              },
              { key: "questions", title: "Questions", number: true, cell: ({ scorer_refs }) => <span class="nowrap">{plural(scorer_refs.length, "question")}</span> },
              { key: "created", title: "Created", cell: ({ created_at }) => <span class="nowrap soft">{formatRelative(created_at, now)}</span> },
            ]}
          />
        )}
      </Loaded>
      {adding && <NewQueueDialog project={project} onClose={() => setAdding(false)} />}
    </Page>
  );
}
