// A look at one call beside the list.

import { href, paths } from "../../app/location";
import { timeZone } from "../../app/preferences";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { formatCount } from "../../format/numbers";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { JsonView } from "../../ui/content/json_view";
import { CopyButton } from "../../ui/copy_button";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { callCost, callLatency, callName, callStatus, callTokens } from "../shared_calls/call_facts";
import { useFullCall } from "../shared_calls/full_call";
import { placeOf } from "./list_data";

export interface PeekProps {
  project: string;
  id: string;
  onClose: () => void;
  onFilter: (path: string, value: string) => void;
}

export function Peek({ project, id, onClose, onFilter }: PeekProps) {
  const read = useFullCall(project, id);
  const call = read.data?.call;
  const place = call ? placeOf(call) : null;
  return (
    <section class="peek" aria-label="Call" aria-busy={read.outdated}>
      <header class="peek-head">
        <h2 class="truncate">{call ? <SafeText text={callName(call)} line /> : "Call"}</h2>
        {call && <CopyButton text={call.id} label="Copy the id" />}
        {place && <Button small icon="arrowRight" href={href(paths.trace(project, place.trace), { span: place.span ?? undefined })}>Open</Button>}
        <Button small kind="quiet" icon="close" label="Close" onClick={onClose} />
      </header>
      {read.error && !call && (
        <ErrorNote
          title={read.error.missing ? "This call is not there" : "The call could not be read"} message={read.error.message}
          requestId={read.error.requestId} onRetry={read.refetch} retrying={read.refetching}
        />
      )}
      {!call && !read.error && <Skeleton lines={8} label="Loading the call" />}
      {call && read.data && (
        <>
          <p class="peek-facts">
            <Status state={callStatus(call)} />
            <span>{formatDuration(callLatency(call))}</span>
            {callTokens(call) !== null && <span>{formatCount(callTokens(call))} tok</span>}
            {callCost(call) !== null && <span>{formatCost(callCost(call))}</span>}
            <span class="faint">{formatTime(call.started_at, timeZone.value)}</span>
          </p>
          {call.exception && <pre class="call-exception" tabIndex={0} aria-label="Exception"><SafeText text={call.exception} /></pre>}
          <h3>Inputs</h3>
          <div class="peek-json"><JsonView text={read.data.member("inputs")} label="Inputs" root="inputs" onFilter={onFilter} /></div>
          <h3>Output</h3>
          <div class="peek-json"><JsonView text={read.data.member("output")} label="Output" root="output" onFilter={onFilter} /></div>
        </>
      )}
    </section>
  );
}
