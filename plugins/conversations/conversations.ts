/** Opens a conversation for a question, and shows what is stored. */
import { randomUUID } from 'node:crypto';
import {
  AtlasError,
  type ChatTurn,
  type PluginContext,
  type Question,
  type Scope,
  withTimeout,
} from '../../kernel/index.ts';
import { type AgentEvent, queryIn } from '../agent/index.ts';
import { shownParts } from '../query-api/index.ts';
import { type MessagePart, textOf } from './parts.ts';
import { type GivenAnswer, Recording } from './recording.ts';
import type { ConversationRow, MessageRow, Owner, RatedRow } from './rows.ts';
import type { ConversationStore } from './store.ts';
import { titleOf } from './title.ts';
import { isAtWork, writerId } from './writer-id.ts';

/** Most earlier messages that a follow-up is read with. */
const HISTORY_MESSAGES = 40;
/** Most messages of one conversation, half of which are questions. */
const MAX_MESSAGES = 1_000;
/** Longest wait of a reader for an answer that is being stored, and of a stop. */
const ANSWER_WAIT_MS = 5_000;
const STOP_WAIT_MS = 1_000;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A conversation that a question belongs to. */
export interface OpenConversation {
  readonly id: string;
  /** Id of the message that the answer is stored as. */
  readonly answerId: string;
  /** The question with the earlier turns, from storage where it came alone. */
  readonly question: Question;
  /** Whether it is stored, with the question. Never rejects. */
  readonly begun: Promise<boolean>;
  /** Every event of the answer, in order. */
  record(event: AgentEvent): void;
  /** The answer is over. Resolves, and never rejects, to whether question and answer are stored. */
  end(state: 'complete' | 'interrupted'): Promise<boolean>;
}

export interface Conversations {
  /**
   * The conversation of `question.conversationId`, else the actor's of that `conversationName`, else a new one. Rejects
   * with `not_found` when it is not the actor's. Of an answer that is not streamed the conversation is named at its end.
   */
  open(question: Question, scope: Scope, isStreamed?: boolean, isResumable?: boolean): Promise<OpenConversation>;
}

const full = () =>
  new AtlasError(`A conversation has at most ${MAX_MESSAGES.toLocaleString('en-US')} messages, and this one is full.`, {
    code: 'conflict',
    hint: 'Begin another one: leave out its id.',
  });

/** The turns with the query at the last answer. */
function withQuery(turns: readonly ChatTurn[], query: ChatTurn['query']): readonly ChatTurn[] {
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  if (query === undefined || last === -1) return turns;
  return turns.map((turn, index) => (index === last ? { ...turn, query } : turn));
}

/** `isStored`: the row is in the database, where other messages may be as well. */
type BegunConversation = ConversationRow & { readonly isStored: boolean };

export function ownerOf({ actor, orgId }: Scope): Owner {
  return { user_id: actor.id ?? '', org_id: orgId ?? '' };
}

export class StoredConversations implements Conversations {
  readonly #store: ConversationStore;
  readonly #now: () => number;
  readonly #logOf: PluginContext['logOf'];
  readonly #writer = writerId();
  #lastPosition = 0;
  /** Answers that are over and not yet known to be stored, by conversation. */
  readonly #endings = new Map<string, Promise<unknown>>();

  constructor(store: ConversationStore, { now, logOf }: Pick<PluginContext, 'now' | 'logOf'>) {
    this.#store = store;
    this.#now = now;
    this.#logOf = logOf;
  }

  async open(question: Question, scope: Scope, isStreamed = true, isResumable = false): Promise<OpenConversation> {
    const row = await this.#conversation(question, ownerOf(scope));
    if (row.isStored) await this.written(row.id);
    const asked = question.turns.slice(-1);
    const parts = JSON.stringify([{ type: 'text', text: asked[0]?.text ?? '' }] satisfies MessagePart[]);
    const { regenerates } = question;
    const isAgain = row.isStored && regenerates !== undefined && (await this.#store.rewind(row.id, parts, regenerates));
    const [earlier, query] = row.isStored
      ? await Promise.all([this.#earlier(row.id, question, isAgain), this.#lastQuery(row.id, question)])
      : [[], undefined];
    const { id } = row;
    const answerId = this.#id();
    const recording = new Recording({
      store: this.#store,
      messageId: answerId,
      begin: this.#beginning(row, parts, isAgain, answerId, isResumable),
      isPatient: !isStreamed,
      now: this.#now,
      log: this.#logOf(scope),
    });
    const end = (state: 'complete' | 'interrupted') => this.#track(id, recording.end(state));
    // An answer whose reader never asks for an event is ended by its request.
    scope.signal.addEventListener('abort', () => void end('interrupted'), { once: true });
    if (scope.signal.aborted) void end('interrupted');
    return {
      id,
      answerId,
      question: {
        ...question,
        conversationId: id,
        turns: withQuery(earlier.length > 0 ? [...earlier, ...asked] : question.turns, query),
      },
      begun: recording.begun,
      record: (event) => recording.add(event),
      end,
    };
  }

  /** What is being written now: waited for before the database closes. */
  async settled(): Promise<void> {
    await withTimeout(Promise.all(this.#endings.values()), STOP_WAIT_MS, () => {});
  }

  /** Waits for answers of the conversation that are over, so that a client that has got them finds them stored. */
  async written(id: string): Promise<void> {
    const ending = this.#endings.get(id);
    if (ending !== undefined) await withTimeout(ending, ANSWER_WAIT_MS, () => {});
  }

  /** Whether its writer may still go on with it. */
  isWritten({ state, writer, updated_at }: Pick<MessageRow, 'state' | 'writer' | 'updated_at'>): boolean {
    return state === 'running' && writer !== null && isAtWork(writer, Date.parse(updated_at), this.#now());
  }

  /** As the API answers it. A writer that is no more has left its answer interrupted. */
  shown(message: RatedRow, showsSql: boolean) {
    const { id, conversation_id, role, parts, state, created_at, rating, rating_reason } = message;
    return {
      id,
      conversationId: conversation_id,
      role,
      content: {
        parts:
          role === 'user'
            ? (JSON.parse(parts) as MessagePart[])
            : shownParts(JSON.parse(parts) as MessagePart[], showsSql),
      },
      status: state === 'running' && !this.isWritten(message) ? ('interrupted' as const) : state,
      createdAt: created_at,
      feedback: rating === null ? null : { rating, reason: rating_reason },
    };
  }

  /** The conversation that the question belongs to; one that has a name is stored here already. */
  async #conversation(question: Question, owner: Owner): Promise<BegunConversation> {
    const { conversationName: name } = question;
    const given = question.conversationId?.toLowerCase();
    if (given !== undefined) return { ...(await this.#store.find(owner, given)), isStored: true };
    const isId = name !== undefined && UUID.test(name);
    const at = new Date(this.#now()).toISOString();
    const row: ConversationRow = {
      id: isId ? name.toLowerCase() : this.#id(),
      ...owner,
      title: titleOf(question.turns.at(-1)?.text ?? ''),
      surface: question.surface,
      connection_id: question.connectionId ?? null,
      starred: false,
      created_at: at,
      updated_at: at,
    };
    if (name === undefined) return { ...row, isStored: false };
    const id = await this.#store.findOrCreate({ ...row, client_name: isId ? null : name });
    return { ...row, id, isStored: true };
  }

  /** Earlier turns from storage; none when the client sent its own. `isAgain`: the question is stored as the last. */
  async #earlier(id: string, { turns }: Question, isAgain: boolean): Promise<ChatTurn[]> {
    const isSent = turns.length > 1;
    const { rows: said, total } = await this.#store.said(id, isSent ? 1 : HISTORY_MESSAGES);
    if (total >= MAX_MESSAGES) throw full();
    // The clock of the server that has stored them may be ahead of this one's.
    this.#lastPosition = Math.max(this.#lastPosition, ...said.map(({ position }) => position));
    if (isSent) return [];
    const before = isAgain ? said.slice(0, -1) : said;
    return before.map(({ role, parts }) => ({ role, text: textOf(parts) })).filter(({ text }) => text !== '');
  }

  /** From storage, unless the client has sent a query with its own messages. */
  async #lastQuery(id: string, { turns }: Question): Promise<ChatTurn['query']> {
    if (turns.some(({ query }) => query !== undefined)) return undefined;
    for (const parts of await this.#store.lastAnswers(id)) {
      const query = queryIn(parts);
      if (query !== undefined) return query;
    }
    return undefined;
  }

  /** What stores the answer, and before it the question unless it is there already. */
  #beginning(
    row: BegunConversation,
    question: string,
    isAgain: boolean,
    answerId: string,
    isResumable: boolean,
  ): (answer: GivenAnswer) => Promise<void> {
    const { isStored, ...conversation } = row;
    const at = new Date(this.#now()).toISOString();
    const common = { conversation_id: row.id, created_at: at, updated_at: at };
    const asked: MessageRow = {
      ...common,
      id: this.#id(),
      position: this.#position(),
      role: 'user',
      parts: question,
      state: 'complete',
      writer: null,
      stream: null,
      finish: null,
    };
    const answer = {
      ...common,
      id: answerId,
      position: this.#position(),
      role: 'assistant',
      writer: this.#writer,
      stream: isResumable ? 'open' : null,
    } as const;
    return (given) => {
      const messages = [...(isAgain ? [] : [asked]), { ...answer, ...given }];
      return isStored ? this.#store.append(row.id, messages, at) : this.#store.create(conversation, messages);
    };
  }

  /** A UUID of version 7: such ids grow, and what is written together lies together in the indexes. */
  #id(): string {
    const time = this.#now().toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  }

  /** Greater than all that this server has given or seen, also within the same millisecond. */
  #position(): number {
    this.#lastPosition = Math.max(this.#lastPosition + 1, this.#now() * 1_000);
    return this.#lastPosition;
  }

  #track(id: string, writing: Promise<boolean>): Promise<boolean> {
    const ending: Promise<unknown> = Promise.all([this.#endings.get(id), writing]).then(() => {
      if (this.#endings.get(id) === ending) this.#endings.delete(id);
    });
    this.#endings.set(id, ending);
    return writing;
  }
}
