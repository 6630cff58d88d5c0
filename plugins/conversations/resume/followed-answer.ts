/** Reads an answer from where it is stored, while whichever server gives it goes on with it, as the events of the agent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError } from '../../../kernel/index.ts';
import type { AgentEvent, Answer } from '../../agent/index.ts';
import type { StoredConversations } from '../conversations.ts';
import { type MessagePart, type StatementPart, type ToolPart, textOf } from '../parts.ts';
import type { AnswerFinish, FollowedRow } from '../rows.ts';
import { stopped } from './running-answers.ts';
import type { StreamStore } from './stream-store.ts';

export const FOLLOW_EVERY_MS = 250;
/** After so many looks the server that gives the answer is told that somebody reads it. */
const LOOKS_PER_READING = 20;
/** Ten seconds: a database that restarts ends no stream. */
const MOST_FAILED_LOOKS = 40;
const NEVER = new Date(0).toISOString();

export interface FollowInit {
  readonly streams: Pick<StreamStore, 'followed' | 'read' | 'delivered'>;
  readonly conversations: Pick<StoredConversations, 'isWritten'>;
  readonly conversationId: string;
  readonly messageId: string;
  readonly signal: AbortSignal;
}

/** Throws at the end of an answer that is not complete. */
export async function* followedAnswer(init: FollowInit): AsyncGenerator<AgentEvent> {
  const { streams, conversations, conversationId, messageId, signal } = init;
  yield { type: 'start', messageId, conversationId };
  const told = new ToldParts();
  let since = NEVER;
  for (let look = 0; ; look += 1) {
    const row = await persistent(() => streams.followed(messageId, since), signal);
    if (row === undefined) throw brokenOff();
    since = row.updated_at;
    const parts = row.parts === null ? undefined : (JSON.parse(row.parts) as MessagePart[]);
    if (parts !== undefined) yield* told.news(parts);
    if (row.state === 'complete') {
      yield { type: 'finish', answer: answerOf(parts ?? [], row) };
      await tried(streams.delivered(messageId));
      return;
    }
    if (!conversations.isWritten(row)) {
      await tried(streams.delivered(messageId));
      throw row.stream === 'stopped' ? stopped() : brokenOff();
    }
    if (look % LOOKS_PER_READING === 0) await tried(streams.read(messageId));
    await sleep(FOLLOW_EVERY_MS, undefined, { signal });
  }
}

async function persistent<T>(look: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await look();
    } catch (error) {
      if (failed === MOST_FAILED_LOOKS) throw error;
      await sleep(FOLLOW_EVERY_MS, undefined, { signal });
    }
  }
}

/** The reader has what it asked for, also where that cannot be noted. An end that is not noted is delivered once more. */
const tried = (note: Promise<void>) => note.catch(() => {});

const brokenOff = () =>
  new AtlasError('The answer broke off, and this is what had been said.', { code: 'conflict', hint: 'Ask again.' });

/** Tells what is new of parts that grow: parts are added, the last text gets longer, and calls get their results. */
class ToldParts {
  /** Of each text its length so far; of each call 1, and 2 with its result. */
  readonly #told: number[] = [];

  *news(parts: readonly MessagePart[]): Generator<AgentEvent> {
    // Calls that stand together are of one step, and come before their results.
    let ended: ToolPart[] = [];
    for (const [index, part] of parts.entries()) {
      const told = this.#told[index] ?? 0;
      if ('toolCallId' in part) {
        const isEnded = part.state !== 'input-available';
        if (told === 0) yield { type: 'tool-call', ...callOf(part), args: part.input };
        if (isEnded && told < 2) ended.push(part);
        this.#told[index] = isEnded ? 2 : 1;
        continue;
      }
      for (const call of ended) yield resultOf(call, parts);
      ended = [];
      if (part.type !== 'text') continue;
      if (part.text.length > told) yield { type: 'text', text: part.text.slice(told) };
      this.#told[index] = part.text.length;
    }
    for (const call of ended) yield resultOf(call, parts);
  }
}

const callOf = ({ toolCallId, type }: ToolPart) => ({ toolCallId, toolName: type.slice('tool-'.length) });

function resultOf(call: ToolPart, parts: readonly MessagePart[]): AgentEvent {
  const { output: result, errorText } = call;
  if (errorText !== undefined)
    return { type: 'tool-result', ...callOf(call), result: { error: errorText }, error: errorText };
  const facts = parts.find((part) => part.type === 'data-statement' && part.id === call.toolCallId);
  const statement = (facts as StatementPart | undefined)?.data;
  return { type: 'tool-result', ...callOf(call), result, ...(statement && { statement }) };
}

/** A server of an earlier version, beside this one while it is replaced, does not store the finish. */
const UNKNOWN_FINISH: AnswerFinish = {
  finishReason: 'stop',
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, estimated: true },
  steps: 0,
  pendingActions: [],
};

/** What the stream says at its end; rows and statements came before. */
function answerOf(parts: readonly MessagePart[], { finish }: Pick<FollowedRow, 'finish'>): Answer {
  const known = finish === null ? UNKNOWN_FINISH : (JSON.parse(finish) as AnswerFinish);
  const end: Partial<Answer> = {};
  for (const part of parts)
    if (part.type === 'data-outcome' || part.type === 'data-choices' || part.type === 'data-suggestions')
      Object.assign(end, part.data);
    else if (part.type === 'data-verified') Object.assign(end, { verified: part.data });
  return { text: textOf(parts), sql: [], data: [], outcome: 'answered', notes: [], ...end, ...known };
}
