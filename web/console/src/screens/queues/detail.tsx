// One queue: annotating, or its results.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { type AnnotationQueue, addQueueItems, deleteQueue } from "../../api/queues";
import { navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded } from "../../app/page";
import { useHeading, useProject } from "../../app/screen";
import { Segments } from "../../app/segments";
import { toast } from "../../app/toasts";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ConfirmDialog, Dialog } from "../../ui/dialog";
import { Empty, ErrorNote } from "../../ui/feedback";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { CallPicker } from "../shared_collect/call_picker";
import { Annotate } from "./annotate";
import { nextOpen } from "./questions";
import { QueueResults } from "./results";
import { useItems, useQuestions, useQueue } from "./use_queue";

function AddItemsDialog({ queue, onClose }: { queue: AnnotationQueue; onClose: () => void }) {
  const { id: project } = useProject();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const add = useMutation({
    change: () => addQueueItems(queue.id, { project_id: project, call_ids: [...selected], display_fields: ["inputs", "output"] }),
    invalidates: [["queues", project]],
    done: ({ added_count, duplicates }) => {
      onClose();
      toast({ kind: "ok", text: `${plural(added_count, "item")} added${duplicates > 0 ? `, ${duplicates} were in the queue already` : ""}.` });
    },
  });
  return (
    <Dialog
      open onClose={onClose} title="Add calls to the queue" size="large" keepOpen={selected.size > 0}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={selected.size === 0} busy={add.pending} onClick={() => void add.run().catch(() => undefined)}>{`Add ${plural(selected.size, "call")}`}</Button>
        </>
      }
    >
      <CallPicker project={project} selected={selected} onSelect={setSelected} />
      {add.error && <ErrorNote title="The calls were not added" message={add.error.message} requestId={add.error.requestId} />}
    </Dialog>
  );
}

function QueueView({ queue }: { queue: AnnotationQueue }) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const items = useItems(project, queue.id);
  const questions = useQuestions(project, queue.scorer_refs);
  const [itemId] = useUrlState("item", codecs.text());
  const [view] = useUrlState("view", codecs.oneOf("annotate", "results"));
  const [dialog, setDialog] = useState<"add" | "delete" | null>(null);
  const remove = useMutation({
    change: () => deleteQueue(queue.id, { project_id: project }),
    invalidates: [["queues", project]],
    done: () => {
      toast({ kind: "ok", text: "The queue is deleted. Its answers stay on the calls." });
      navigate(paths.queues(project));
    },
  });
  useHeading(queue.name);
  const all = items.data ?? [];
  const over = all.filter(({ annotation_state: state }) => state === "completed" || state === "skipped").length;
  const item = all.find(({ id }) => id === itemId) ?? (itemId === "done" ? undefined : all.find(({ id }) => id === nextOpen(all, null)));
  const finished = all.length > 0 && over === all.length;
  const results = view === "results" || (item === undefined && all.length > 0);
  return (
    <div class="fill">
      <div class="fill-head">
        <div class="fill-titles"><h1><SafeText text={queue.name} line /></h1></div>
        {all.length > 0 && (
          <span class="queue-progress">
            <progress class="queue-bar" max={all.length} value={over} aria-label="Items done" />
            <span class="soft" role="status">{formatCount(over)} of {formatCount(all.length)} done</span>
          </span>
        )}
        <div class="fill-actions">
          {all.length > 0 && (
            <Segments label="View" value={results ? "results" : "annotate"} options={[["annotate", "Annotate"], ["results", "Results"]]}
              onChange={(next) => setUrlState({ view: next === "results" ? "results" : null, item: next === "results" ? itemId || null : nextOpen(all, null) ?? all[0]?.id ?? null })} />
          )}
          {write && <Button icon="add" onClick={() => setDialog("add")}>Calls</Button>}
          {write && <Menu label="More" align="end" items={[{ text: "Delete the queue", icon: "trash", danger: true, onSelect: () => setDialog("delete") }]} />}
        </div>
      </div>
      <div class="fill-body queue-body">
        <Loaded state={items} what="queue">
          {() => all.length === 0 ? (
            <Empty title="This queue is empty" icon="list" actions={write && <Button kind="primary" icon="add" onClick={() => setDialog("add")}>Add calls</Button>}>
              <p>Choose calls by a filter, or send them here from the list of traces and from comparisons.</p>
            </Empty>
          ) : (
            <Loaded state={questions} what="questions">
              {(asked) => results
                ? <QueueResults queueId={queue.id} items={all} questions={asked} finished={finished} />
                : item && <Annotate key={item.id} queue={queue} items={all} item={item} questions={asked} />}
            </Loaded>
          )}
        </Loaded>
      </div>
      {dialog === "add" && <AddItemsDialog queue={queue} onClose={() => setDialog(null)} />}
      <ConfirmDialog
        open={dialog === "delete"} onClose={() => setDialog(null)} onConfirm={() => void remove.run().catch(() => undefined)} action="Delete"
        title={`Delete the queue ${queue.name}?`} busy={remove.pending} error={remove.error?.message ?? null}
      >
        <p>The answers stay on the calls as feedback. The progress of its {plural(all.length, "item")} is no longer shown.</p>
      </ConfirmDialog>
    </div>
  );
}

export function QueueDetail({ id }: { id: string }) {
  const { id: project } = useProject();
  const queue = useQueue(project, id);
  return <Loaded state={queue} what="queue">{(data) => <QueueView queue={data} />}</Loaded>;
}
