// One conversation as a chat, with feedback on each turn.

import { useCallback, useMemo, useRef } from "preact/hooks";

import { type ConversationChat, conversationChat } from "../../api/agents";
import { usePages } from "../../api/cache";
import { useLive } from "../../api/live";
import type { TraceChat } from "../../api/traces";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Hidden } from "../../app/not_found";
import { timeZone } from "../../app/preferences";
import { useProject } from "../../app/screen";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { formatCount, plural } from "../../format/numbers";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { ChatView } from "../../ui/content/chat_view";
import { CopyButton } from "../../ui/copy_button";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { useFeedback } from "../shared_calls/feedback_data";
import { Reactions } from "../shared_calls/reactions";
import { type Turn, joinTurns } from "./conversation";

const PAGE = 50;
const LEAST_WAIT_MS = 4000;

function TurnFoot({ project, turn, write }: { project: string; turn: Turn; write: boolean }) {
  const { chat } = turn;
  const feedback = useFeedback(project, turn.call);
  return (
    <div class="turn-foot">
      <strong>Turn {turn.number}</strong>
      <span class="faint">{formatTime(chat.started_at, timeZone.value)}</span>
      <span class="faint">{formatDuration(chat.total_duration_ms)}</span>
      <span class="faint">{formatCount(chat.total_input_tokens + chat.total_output_tokens)} tok</span>
      {chat.total_cost_usd !== null && <span class="faint">{formatCost(chat.total_cost_usd)}</span>}
      <span class="ui-grow" />
      {turn.call && <Reactions project={project} callId={turn.call} rows={feedback.data ?? []} write={write} />}
      <Button small kind="quiet" icon="arrowRight" href={href(paths.trace(project, chat.trace_id))}>Trace</Button>
    </div>
  );
}

export function ThreadView({ thread, onClose }: { thread: string; onClose: string }) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  // Pages go from the newest turns to older ones; each page is in the order of the conversation.
  const pages = usePages<{ chat: TraceChat; total: number; page: number }>({
    key: ["conversation", project, thread],
    read: async (cursor, signal) => {
      const offset = Number(cursor || 0);
      const answer: ConversationChat = await conversationChat({ project_id: project, conversation_id: thread, limit: PAGE, offset }, signal);
      return {
        items: answer.turns.map((chat) => ({ chat, total: answer.total_turns, page: offset })),
        next_cursor: answer.has_more ? String(offset + PAGE) : null,
      };
    },
  });
  // Hints come several times a second while others talk.
  const readAt = useRef(0);
  useLive("calls", project, () => {
    if (Date.now() - readAt.current < LEAST_WAIT_MS) return;
    readAt.current = Date.now();
    pages.refetch();
  });
  const turns = useMemo(() => [...pages.items].sort((a, b) => b.page - a.page).map(({ chat }) => chat), [pages.items]);
  const total = pages.items[0]?.total ?? 0;
  const hrefOf = useCallback((trace: string, span: string | null) => href(paths.trace(project, trace), { span: span ?? undefined }), [project]);
  const conversation = useMemo(() => joinTurns(turns, total - turns.length + 1, hrefOf), [turns, total, hrefOf]);
  return (
    <section class="thread" aria-label="Thread">
      <header class="thread-head">
        <h2 class="truncate"><SafeText text={thread} line /></h2>
        <CopyButton text={thread} label="Copy the id" />
        {turns.length > 0 && (
          <span class="thread-facts">
            <span>{plural(total, "turn")}</span>
            <span>{formatCount(conversation.tokens)} tok</span>
            {conversation.cost !== null && <span>{formatCost(conversation.cost)}</span>}
            {conversation.errors > 0 && <span class="ui-tone-error">{plural(conversation.errors, "error")}</span>}
          </span>
        )}
        <span class="ui-grow" />
        {pages.hasMore && <Button small busy={pages.loadingMore} onClick={pages.more}>Show older turns</Button>}
        <Button small kind="quiet" icon="close" label="Close the conversation" href={onClose} />
      </header>
      <div class="thread-body">
        {pages.error && !pages.error.missing && (
          <ErrorNote title="The conversation could not be read" message={pages.error.message} requestId={pages.error.requestId} onRetry={pages.refetch} retrying={pages.refetching} />
        )}
        {pages.loading && <Skeleton lines={8} label="Loading the conversation" />}
        {!pages.loading && (pages.error?.missing || (!pages.error && turns.length === 0)) && <Hidden what="conversation" inner />}
        {turns.length > 0 && (
          <ChatView
            messages={conversation.messages}
            actions={(message) => {
              const turn = conversation.ends.get(message.id);
              return turn ? <TurnFoot project={project} turn={turn} write={write} /> : null;
            }}
          />
        )}
      </div>
    </section>
  );
}
