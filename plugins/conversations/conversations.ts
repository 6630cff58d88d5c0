/** Opening a conversation for a question, and showing what is stored. */
import { randomUUID } from 'node:crypto';
import { type ChatTurn, type PluginContext, type Question, type Scope, within } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/events.ts';
import { type MessagePart, textOf } from './parts.ts';
import { Recording } from './recording.ts';
import type { ConversationRow, ConversationStore, MessageRow, Owner } from './store.ts';
import { titleOf } from './title.ts';
import { isAtWork, writerId } from './writer-id.ts';

/** Most earlier messages that a follow-up is read with. */
const HISTORY_MESSAGES = 40;
/** Longest wait of an answer that is over, and of a stop, for a database that hangs. */
const ANSWER_WAIT_MS = 5_000;
const STOP_WAIT_MS = 1_000;

/** A conversation that a question belongs to. */
export interface OpenConversation {
  readonly id: string;
  /** The question with the earlier turns, from storage where it came alone. */
  readonly question: Question;
  /** Every event of the answer, in order. */
  record(event: AgentEvent): void;
  /** The answer is over. Resolves soon, and never rejects, to whether question and answer are known to be stored. */
  end(state: 'complete' | 'interrupted'): Promise<boolean>;
}

export interface Conversations {
  /**
   * The conversation of `question.conversationId`, or a new one. `undefined` when nothing is stored here. Rejects with
   * `not_found` when it is not the actor's.
   */
  open(question: Question, scope: Scope): Promise<OpenConversation | undefined>;
}

export function ownerOf({ actor, orgId }: Scope): Owner {
  return { user_id: actor.id ?? '', org_id: orgId ?? '' };
}

export class StoredConversations implements Conversations {
  private readonly store: ConversationStore;
  private readonly now: () => number;
  private readonly logOf: PluginContext['logOf'];
  private readonly writer = writerId();
  private lastPosition = 0;
  private readonly recordings = new Set<Promise<boolean>>();

  constructor(store: ConversationStore, { now, logOf }: Pick<PluginContext, 'now' | 'logOf'>) {
    this.store = store;
    this.now = now;
    this.logOf = logOf;
  }

  async open(question: Question, scope: Scope): Promise<OpenConversation> {
    const owner = ownerOf(scope);
    const given = question.conversationId?.toLowerCase();
    const earlier = given === undefined ? [] : await this.earlier(owner, given, question);
    const asked = question.turns.slice(-1);
    const id = given ?? randomUUID();
    const answerId = randomUUID();
    const begun = this.begin(id, owner, question, answerId, given === undefined);
    const recording = new Recording(this.store, answerId, begun, this.now, this.logOf(scope));
    const end = (state: 'complete' | 'interrupted') => this.track(recording.end(state));
    // An answer of which nobody takes a single event has nobody else to end it.
    scope.signal.addEventListener('abort', () => void end('interrupted'), { once: true });
    if (scope.signal.aborted) void end('interrupted');
    return {
      id,
      question: {
        ...question,
        conversationId: id,
        turns: earlier.length > 0 ? [...earlier, ...asked] : question.turns,
      },
      record: (event) => recording.add(event),
      end,
    };
  }

  /** What is being written now: waited for before the database closes. */
  async settled(): Promise<void> {
    await within(STOP_WAIT_MS, Promise.all(this.recordings), () => {});
  }

  /** As the API answers it. A writer that is no more has left its answer interrupted. */
  shown(message: MessageRow) {
    const { id, conversation_id, role, parts, state, writer, created_at, updated_at } = message;
    const isWritten = writer !== null && isAtWork(writer, Date.parse(updated_at), this.now());
    return {
      id,
      conversationId: conversation_id,
      role,
      content: { parts: JSON.parse(parts) as MessagePart[] },
      status: state === 'running' && !isWritten ? ('interrupted' as const) : state,
      createdAt: created_at,
    };
  }

  /** Earlier turns from storage; none when the client sent its own. */
  private async earlier(owner: Owner, id: string, { turns }: Question): Promise<ChatTurn[]> {
    await this.store.find(owner, id);
    const isSent = turns.length > 1;
    const said = await this.store.said(id, isSent ? 1 : HISTORY_MESSAGES);
    // The clock of the server that has stored them may be ahead of this one's.
    this.lastPosition = Math.max(this.lastPosition, ...said.map(({ position }) => position));
    if (isSent) return [];
    return said.map(({ role, parts }) => ({ role, text: textOf(parts) })).filter(({ text }) => text !== '');
  }

  private begin(id: string, owner: Owner, question: Question, answerId: string, isNew: boolean): Promise<void> {
    const text = question.turns.at(-1)?.text ?? '';
    const at = new Date(this.now()).toISOString();
    const common = { conversation_id: id, created_at: at, updated_at: at };
    const parts = JSON.stringify([{ type: 'text', text }] satisfies MessagePart[]);
    const messages: MessageRow[] = [
      { ...common, id: randomUUID(), position: this.position(), role: 'user', parts, state: 'complete', writer: null },
      {
        ...common,
        id: answerId,
        position: this.position(),
        role: 'assistant',
        parts: '[]',
        state: 'running',
        writer: this.writer,
      },
    ];
    if (!isNew) return this.store.append(id, messages, at);
    const row: ConversationRow = {
      id,
      ...owner,
      title: titleOf(text),
      surface: question.surface,
      connection_id: question.connectionId ?? null,
      starred: false,
      created_at: at,
      updated_at: at,
    };
    return this.store.create(row, messages);
  }

  /** Greater than all that this server has given or seen, also within the same millisecond. */
  private position(): number {
    this.lastPosition = Math.max(this.lastPosition + 1, this.now() * 1_000);
    return this.lastPosition;
  }

  private track(writing: Promise<boolean>): Promise<boolean> {
    this.recordings.add(writing);
    void writing.finally(() => this.recordings.delete(writing));
    return within(ANSWER_WAIT_MS, writing, () => false);
  }
}
