// What annotators see of a call: the chosen fields, conversations as chat.

import { useQuery } from "../../api/cache";
import { type Call, readCall } from "../../api/calls";
import type { AnnotationQueueItem } from "../../api/queues";
import { href, paths } from "../../app/location";
import { Loaded } from "../../app/page";
import { Button } from "../../ui/button";
import { ChatView } from "../../ui/content/chat_view";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { callName } from "../shared_collect/call_picker";
import { answerOf, chatOf, messagesOf } from "../shared_values/chat";
import { isRecord } from "../shared_values/value_text";
import { ValueView } from "../shared_values/value_view";

/** Returns the value at a path such as `inputs.question`. */
export function fieldOf(call: object, path: string): unknown {
  let current: unknown = call;
  for (const name of path.split(".")) {
    if (Array.isArray(current)) current = current[Number(name)];
    else if (isRecord(current)) current = current[name];
    else return undefined;
  }
  return current;
}

function Content({ call, fields }: { call: Call; fields: readonly string[] }) {
  const whole = fields.length === 0 || (fields.includes("inputs") && fields.includes("output"));
  const messages = whole ? messagesOf(call.inputs) : null;
  const answer = answerOf(call.output);
  if (messages) return <ChatView messages={chatOf(answer ? [...messages, answer] : messages)} label="Conversation" />;
  return (
    <div class="item-fields" role="group" aria-label="Fields of the call" tabIndex={0}>
      {(fields.length === 0 ? ["inputs", "output"] : fields).map((field) => (
        <section key={field}>
          <h3><SafeText text={field} line /></h3>
          <ValueView value={fieldOf(call, field)} label={field} />
        </section>
      ))}
    </div>
  );
}

export function ItemContent({ project, item }: { project: string; item: AnnotationQueueItem }) {
  const call = useQuery({
    key: ["call", project, item.call_id],
    read: async (signal) => (await readCall({ project_id: project, id: item.call_id }, signal)).call,
    keep: false,
    staleTime: 60_000,
  });
  return (
    <div class="item">
      <header class="item-head">
        <strong><SafeText text={callName({ display_name: call.data?.display_name ?? null, op_name: item.call_op_name })} line /></strong>
        {call.data?.exception && <Status state="error" />}
        <span class="ui-grow" />
        <Button small kind="quiet" icon="external" href={href(paths.trace(project, item.call_trace_id), { span: item.call_id })}>Trace</Button>
      </header>
      <div class="item-body">
        <Loaded state={call} what="call">
          {(data) => (data ? <Content call={data} fields={item.display_fields} /> : <p class="fill-note soft">The call was deleted meanwhile. Skip the item.</p>)}
        </Loaded>
      </div>
    </div>
  );
}
