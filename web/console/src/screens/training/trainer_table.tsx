// The programs that train.

import { useQuery } from "../../api/cache";
import { type Trainer, listTrainers } from "../../api/training";
import { Loaded } from "../../app/page";
import { href, paths } from "../../app/location";
import { formatPercent } from "../../format/numbers";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Badge, Status, type Tone } from "../../ui/status";
import { Table } from "../../ui/table";
import { Ago } from "../shared_parts/ago";

const TONES: Record<Trainer["state"], Tone> = { working: "running", waiting: "ok", lost: "error" };
const COMMAND = "spindle-trainer --server http://spindle.internal:8080 --key KEY";

export function TrainerTable({ now }: { now: number }) {
  const trainers = useQuery({ key: ["trainers"], read: (signal) => listTrainers(signal), every: 10_000 });
  return (
    <Loaded state={trainers} what="list of trainers" lines={3}>
      {({ items }) => items.length === 0 ? (
        <Empty title="No trainer was seen yet" icon="gear" snippets={[{ title: "Start a trainer on any host, with or without a GPU", text: COMMAND }]}>
          <p>The server starts one on its own machine when a job waits and no other trainer takes it.</p>
        </Empty>
      ) : (
        <div class="card">
          <Table
            label="Trainers" rows={items} rowKey={({ name }, index) => name ?? `hidden ${index}`}
            columns={[
              { key: "name", title: "Name", cell: ({ name }) => name ? <span class="cut"><SafeText text={name} line /></span> : <span class="faint">hidden</span> },
              { key: "state", title: "State", cell: ({ state }) => <Status state={state} tone={TONES[state]} /> },
              { key: "device", title: "Device", cell: ({ device }) => device ? <Badge>{device}</Badge> : <span class="faint">–</span> },
              {
                key: "job", title: "Job", wide: true,
                cell: ({ job, state }) => job
                  ? <a href={href(paths.trainingJob(job.project, job.id))}><SafeText text={`${job.project} · ${job.model}`} line />{job.progress !== null && ` · ${formatPercent(job.progress)}`}</a>
                  : <span class="faint">{state === "working" ? "of another project" : "none"}</span>,
              },
              { key: "seen", title: "Last contact", cell: ({ seen_at }) => <Ago time={seen_at} now={now} /> },
            ]}
          />
        </div>
      )}
    </Loaded>
  );
}
