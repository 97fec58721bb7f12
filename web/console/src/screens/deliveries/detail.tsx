// One delivery: its attempts, the request, the answers; replay and cancel.

import { useState } from "preact/hooks";

import { type Delivery, type DeliveryAttempt, cancelDelivery, getAutomation, getDelivery, replayDelivery } from "../../api/automation";
import { useMutation, useQuery } from "../../api/cache";
import { href, navigate, paths } from "../../app/location";
import { useMe, useRights } from "../../app/me";
import { Loaded, Page, Section } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { useHeading } from "../../app/screen";
import { toast, toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatExactTime } from "../../format/time";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { RadioGroup } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Definitions } from "../../ui/table";
import { DeliveryStatus } from "../shared_automation/delivery_table";
import { eventText, isOpen } from "../shared_automation/events";
import { AnswerStatus, Message } from "../shared_automation/exchange";
import { Ago, useNow } from "../shared_parts/ago";

function AttemptRow({ attempt, chosen, onChoose, now }: { attempt: DeliveryAttempt; chosen: boolean; onChoose: () => void; now: number }) {
  return (
    <li>
      <button type="button" class={chosen ? "attempt attempt-chosen" : "attempt"} aria-pressed={chosen} onClick={onChoose}>
        <span class="attempt-number">{attempt.number}</span>
        <AnswerStatus status={attempt.response_status} />
        <span class="attempt-error">{attempt.error && <SafeText text={attempt.error.message} line />}</span>
        <span class="faint">{formatDuration(attempt.duration_ms)}</span>
        <Ago time={attempt.started_at} now={now} />
      </button>
    </li>
  );
}

function Attempts({ delivery, now }: { delivery: Delivery; now: number }) {
  const attempts = delivery.attempts ?? [];
  const [chosenNumber, choose] = useUrlState("attempt", codecs.number(0));
  const chosen = attempts.find(({ number }) => number === chosenNumber) ?? attempts.at(-1);
  return (
    <>
      <Section title="Attempts">
        {attempts.length === 0 ? <p class="soft">{isOpen(delivery) ? "The first attempt has not begun." : "Nothing was sent."}</p> : (
          <ol class="card rows attempts">
            {attempts.map((attempt) => (
              <AttemptRow key={attempt.id} attempt={attempt} now={now} chosen={attempt === chosen} onChoose={() => choose(attempt.number, { replace: true })} />
            ))}
          </ol>
        )}
      </Section>
      <div class="exchange">
        <Message title="Request" headers={delivery.request?.headers ?? null} body={delivery.request?.body ?? null}
          note={delivery.request && <span class="faint">the last one</span>} none="No request was made, or it is older than seven days." />
        {chosen && (
          <Message
            title={attempts.length > 1 ? `Response to attempt ${chosen.number}` : "Response"}
            note={<AnswerStatus status={chosen.response_status} />}
            headers={chosen.response_headers}
            body={chosen.response_body}
            truncated={chosen.truncated}
            none={chosen.error?.message ?? "No response arrived, or it is older than seven days."}
          />
        )}
      </div>
    </>
  );
}

function ReplayDialog({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const [mode, setMode] = useState<"same" | "current">("same");
  const replay = useMutation({
    change: () => replayDelivery(delivery.id, { mode }),
    invalidates: [["deliveries"], ["delivery"]],
    done: (sent) => {
      toast({ kind: "ok", text: "The delivery is being sent again." });
      onClose();
      if (sent.id !== delivery.id) navigate(paths.delivery(sent.id));
    },
  });
  return (
    <Dialog
      open onClose={onClose} title="Send this delivery again" size="small" onSubmit={() => void replay.run().catch(() => undefined)}
      actions={<><Button onClick={onClose}>Cancel</Button><Button type="submit" kind="primary" icon="send" busy={replay.pending}>Send again</Button></>}
    >
      <RadioGroup
        label="With" value={mode} onChange={setMode}
        options={[
          { value: "same", text: "The same payload and id", hint: "The endpoint can see that it is the same message." },
          { value: "current", text: "The automation and webhook as they are now", hint: "A new delivery with a new id. For when the template or the address was wrong." },
        ]}
      />
      {replay.error && <ErrorNote title="It was not sent" message={replay.error.message} requestId={replay.error.requestId} />}
    </Dialog>
  );
}

function About({ delivery, team, now }: { delivery: Delivery; team: string | null; now: number }) {
  const name = <SafeText text={delivery.automation_name} line />;
  const address = <code class="wrap"><SafeText text={delivery.url ?? ""} line /></code>;
  const next = delivery.next_attempt_at ? <>next attempt <Ago time={delivery.next_attempt_at} now={now} /></> : <span class="faint">not yet</span>;
  return (
    <div class="card card-pad delivery-about">
      <Definitions
        items={[
          ["Event", <>{eventText(delivery.event_type)} <code class="faint">{delivery.event_id}</code></>],
          ["Automation", team ? <a href={href(paths.automations(team, delivery.automation_id))}>{name}</a> : name],
          [
            "Endpoint",
            delivery.url
              ? (team && delivery.webhook_id ? <a href={href(paths.webhooks(team, delivery.webhook_id))}>{address}</a> : address)
              : <span class="faint">nothing is sent</span>,
          ],
          ["Created", formatExactTime(delivery.created_at, timeZone.value)],
          ["Finished", delivery.finished_at ? formatExactTime(delivery.finished_at, timeZone.value) : next],
          ...(delivery.replay_of ? [["Repeats", <a href={href(paths.delivery(delivery.replay_of))}><code>{delivery.replay_of}</code></a>] as [string, preact.ComponentChildren]] : []),
          ...(delivery.last_error ? [["Last error", <><code>{delivery.last_error.code}</code> <SafeText text={delivery.last_error.message} /></>] as [string, preact.ComponentChildren]] : []),
          ["Id", <><code>{delivery.id}</code> <CopyButton text={delivery.id} label="Copy the id" /></>],
        ]}
      />
    </div>
  );
}

export function DeliveryDetail({ id }: { id: string }) {
  const delivery = useQuery<Delivery>({
    key: ["delivery", id],
    read: (signal) => getDelivery(id, signal),
    every: (data) => (data && isOpen(data) ? 2000 : false),
  });
  const { data } = delivery;
  const automation = useQuery({
    key: ["automations", data?.automation_id],
    read: (signal) => getAutomation(data?.automation_id ?? "", signal),
    enabled: data !== undefined,
  });
  const { data: me } = useMe();
  // A delivery does not say its team; its automation does, and without one the team of the person has to do.
  const team = automation.data?.scope.team ?? me?.default_team ?? null;
  const rights = useRights(team);
  const now = useNow(5000);
  const [replaying, setReplaying] = useState(false);
  useHeading(data ? `Delivery of ${data.automation_name}` : "Delivery", [{ label: id.slice(0, 12) }]);
  const cancel = useMutation({
    change: () => cancelDelivery(id),
    invalidates: [["deliveries"], ["delivery"]],
    done: () => toast({ kind: "ok", text: "No further attempts are made." }),
  });
  return (
    <Page
      title={data ? <SafeText text={data.automation_name} line /> : "Delivery"}
      lead={data && <><DeliveryStatus delivery={data} /> · {data.attempt_count === 1 ? "1 attempt" : `${data.attempt_count} attempts`}</>}
      actions={data && rights.administer && (isOpen(data) ? (
        <Button icon="stop" busy={cancel.pending} onClick={() => void cancel.run().catch((error: unknown) => toastError("The delivery was not cancelled", error))}>Cancel further attempts</Button>
      ) : data.webhook_id && <Button icon="send" kind="primary" onClick={() => setReplaying(true)}>Send again</Button>)}
    >
      <Loaded state={delivery} what="delivery">
        {(shown) => (
          <>
            <About delivery={shown} team={team} now={now} />
            <Attempts delivery={shown} now={now} />
          </>
        )}
      </Loaded>
      {data && replaying && <ReplayDialog delivery={data} onClose={() => setReplaying(false)} />}
    </Page>
  );
}
