// Finds what was said: messages of agents by conversation, and texts in calls.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { type AgentSearchConversation, searchAgents } from "../../api/agents";
import { useQuery } from "../../api/cache";
import { type FoundCall, searchCalls } from "../../api/calls";
import { href, paths } from "../../app/location";
import { Loaded, Section } from "../../app/page";
import { setPreferences, timeZone } from "../../app/preferences";
import { hasScreen } from "../../app/routes";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { lookup } from "../../format/lookup";
import { plural } from "../../format/numbers";
import { formatShortTime } from "../../format/time";
import { ALL_TIME, type TimeRange, boundsOf, formatTimeRange, parseTimeRange, printTimeRange } from "../../format/time_range";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge, type Tone } from "../../ui/status";
import { TimeRangePicker } from "../../ui/time_range";
import { opName } from "../shared_calls/call_facts";
import { NO_CONVERSATION, markedParts, snippetAround } from "./search_data";

const DAY = 86_400_000;
const WEEK: TimeRange = { kind: "last", milliseconds: 7 * DAY };
const RANGE = {
  read: (text: string | null): TimeRange => (text === null ? null : parseTimeRange(text)) ?? WEEK,
  write: (range: TimeRange) => (printTimeRange(range) === printTimeRange(WEEK) ? null : printTimeRange(range)),
};
const TEXT = codecs.text();
type Role = "" | "user" | "assistant" | "system" | "tool";
const ROLE = codecs.oneOf<Role>("", "user", "assistant", "system", "tool");
const ROLES: { value: Role; text: string }[] = [
  { value: "", text: "Everyone" }, { value: "user", text: "Users" }, { value: "assistant", text: "Assistants" }, { value: "system", text: "System" }, { value: "tool", text: "Tools" },
];
const TONES = lookup<Tone>({ user: "info", assistant: "model", tool: "tool", tool_call: "tool", tool_result: "tool" });
const TYPING_MS = 300;
const MESSAGES = 100;
const CALLS = 50;
/** Conversations that are shown at first, so that the calls below are not far. */
const FEW = 5;

function Marked({ parts: { before, match, after } }: { parts: { before: string; match: string; after: string } }) {
  return (
    <span class="found-text">
      <SafeText text={before} line />{match !== "" && <mark><SafeText text={match} line /></mark>}<SafeText text={after} line />
    </span>
  );
}

function Conversation({ project, found, text, now }: { project: string; found: AgentSearchConversation; text: string; now: number }) {
  const known = found.conversation_id !== NO_CONVERSATION && found.conversation_id !== "";
  const title = found.conversation_name || (known ? found.conversation_id : "Without a conversation");
  return (
    <article class="found card">
      <header class="found-head">
        <h3>{known && hasScreen("threads") ? <a href={href(paths.threads(project, found.conversation_id))}><SafeText text={title} line /></a> : <SafeText text={title} line />}</h3>
        {found.agent_name && <Badge tone="agent"><SafeText text={found.agent_name} line /></Badge>}
        <span class="ui-grow" />
        <span class="faint">{formatShortTime(found.last_activity, now, timeZone.value)}</span>
      </header>
      <ul>
        {found.matched_messages.map((message, index) => (
          <li key={index}>
            <a class="found-row" href={href(paths.trace(project, message.trace_id), { span: message.span_id, tab: "chat" })}>
              <Badge tone={TONES[message.role] ?? "neutral"}><SafeText text={message.role || "message"} line /></Badge>
              <Marked parts={snippetAround(message.content_preview, text)} />
              <span class="faint">{formatShortTime(message.started_at, now, timeZone.value)}</span>
            </a>
          </li>
        ))}
      </ul>
    </article>
  );
}

function CallRow({ project, call, now }: { project: string; call: FoundCall; now: number }) {
  return (
    <li>
      <a class="found-row found-call" href={href(paths.trace(project, call.trace_id), { span: call.id, tab: "io" })}>
        <span class="found-name truncate"><SafeText text={opName(call.name)} line /></span>
        <span class="found-matches">
          {call.matches.map((match, index) => (
            <span key={index} class="found-match"><span class="faint">{match.field}</span><Marked parts={markedParts(match.snippet, match.start, match.end)} /></span>
          ))}
        </span>
        <span class="faint">{formatShortTime(call.started_at, now, timeZone.value)}</span>
      </a>
    </li>
  );
}

export default function Search() {
  const { id: project } = useProject();
  const [text, setText] = useUrlState("q", TEXT);
  const [range, setRange] = useUrlState("range", RANGE);
  const [role, setRole] = useUrlState("role", ROLE);
  const [typed, setTyped] = useState(text);
  const [now] = useState(Date.now);
  const [all, setAll] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // Before a person can type: later, it would replace what was typed meanwhile.
  useLayoutEffect(() => {
    setTyped(text);
    setAll(false);
  }, [text]);
  useEffect(() => {
    if (typed.trim() === text) return undefined;
    const timer = setTimeout(() => setText(typed.trim(), { replace: true }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    if (text === "") input.current?.focus();
  }, []);
  useShortcut({ keys: "/", label: "Search", group: "Search" }, () => input.current?.focus());
  const { from, to } = boundsOf(range, now);
  const since = from === null ? null : new Date(from).toISOString();
  const until = to === null ? null : new Date(to).toISOString();
  const messages = useQuery({
    key: ["search messages", project, text, role, since, until],
    enabled: text !== "",
    staleTime: 30_000,
    read: (signal) => searchAgents({
      project_id: project, query: text, case_insensitive: true, limit: MESSAGES, truncate_content: false, started_after: since, started_before: until,
      ...(role === "" ? {} : { roles: [role] }),
    }, signal),
  });
  const calls = useQuery({
    key: ["search calls", project, text, since, until],
    enabled: text !== "" && role === "",
    staleTime: 30_000,
    read: (signal) => searchCalls({ project_id: project, text, limit: CALLS, since, until }, signal),
  });
  const nothing = text !== "" && messages.data?.results.length === 0 && (role !== "" || calls.data?.calls.length === 0) && !messages.outdated && !calls.outdated;
  const found = messages.data?.results.reduce((sum, one) => sum + one.matched_messages.length, 0) ?? 0;
  const zone = timeZone.value;
  return (
    <div class="page">
      <h1 class="visually-hidden">Search</h1>
      <div class="search-bar" role="search">
        <span class="search-input">
          <TextInput
            value={typed} onInput={setTyped} onEnter={() => setText(typed.trim())} icon="search" label="Search in messages and calls"
            placeholder="Search what was said, asked and answered" inputRef={input} maxLength={1000}
          />
        </span>
        <span class="search-role"><Select<Role> value={role} onChange={setRole} options={ROLES} label="Who said it" /></span>
        <TimeRangePicker
          value={range} onChange={setRange} zone={zone} now={now}
          onZone={(next) => void setPreferences({ timeZone: next }).catch((error: unknown) => toastError("The zone was not stored", error))}
        />
      </div>
      {text === "" && (
        <Empty title="Search this project" icon="search">
          <p>Finds text in messages of agents and in names, inputs and outputs of calls, in upper or lower case. For conditions such as <code>status:error</code>, use the <a href={href(paths.traces(project))}>traces</a>.</p>
        </Empty>
      )}
      {nothing && (
        <Empty
          title="Nothing found" icon="search"
          actions={
            <>
              {range.kind !== "all" && <Button onClick={() => setRange(ALL_TIME)}>Search all time</Button>}
              {role !== "" && <Button onClick={() => setRole("")}>Search everyone's words</Button>}
            </>
          }
        >
          <p>No text contains “<SafeText text={text} line />” in the time “{formatTimeRange(range, zone)}”.</p>
        </Empty>
      )}
      {text !== "" && !nothing && (
        <>
          <Section title="Messages" {...(messages.data && !messages.outdated ? { lead: `${plural(found, "message")} in ${plural(messages.data.results.length, "conversation")}${found >= MESSAGES ? ", the newest" : ""}` } : {})}>
            <div aria-busy={messages.outdated}>
              <Loaded state={messages} what="list of messages" lines={4}>
                {({ results }) => (results.length === 0
                  ? <p class="faint">No message of an agent contains this.</p>
                  : (
                    <div class="stack">
                      {(all ? results : results.slice(0, FEW)).map((one, index) => <Conversation key={index} project={project} found={one} text={text} now={now} />)}
                      {!all && results.length > FEW && <div><Button onClick={() => setAll(true)}>{`Show all ${results.length} conversations`}</Button></div>}
                    </div>
                  ))}
              </Loaded>
            </div>
          </Section>
          {role === "" && (
            <Section title="Calls" {...(calls.data && !calls.outdated ? { lead: `${calls.data.calls.length >= CALLS ? "The newest " : ""}${plural(calls.data.calls.length, "call")}` } : {})}>
              <div aria-busy={calls.outdated}>
                <Loaded state={calls} what="list of calls" lines={4}>
                  {({ calls: rows }) => (rows.length === 0
                    ? <p class="faint">No call contains this.</p>
                    : <ul class="found card rows">{rows.map((call) => <CallRow key={call.id} project={project} call={call} now={now} />)}</ul>)}
                </Loaded>
              </div>
            </Section>
          )}
        </>
      )}
    </div>
  );
}
