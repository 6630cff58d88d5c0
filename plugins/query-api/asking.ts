/** Asking the agent, with question and answer stored where conversations are kept. */
import { randomUUID } from 'node:crypto';
import { AtlasError, type Question, type Scope, withTimeout } from '../../kernel/index.ts';
import type { Agent, AgentEvent, Answer } from '../agent/index.ts';
import type { ChatClient, Conversations, OpenConversation } from '../conversations/index.ts';

/** Longest wait for a conversation to be stored before the headers of a stream, or a failure, leave. */
const NAMING_MS = 800;
/** The same of an answer that is complete. */
const ANSWER_WAIT_MS = 5_000;

/** For the end of an answer to be stored and to reach its client, beyond the deadline of its question. */
const TAKING_MS = 5_000;

/** An answer that is being given. */
interface AnswerStream {
  readonly events: AsyncIterable<AgentEvent>;
  /** Id of the answer as a message, also where it is not stored. */
  readonly messageId: string;
  /** Missing when it is not known to be stored. */
  readonly conversationId: string | undefined;
}

export class Asking {
  private readonly agent: Agent;
  private readonly conversations: Conversations | undefined;

  constructor(agent: Agent, conversations: Conversations | undefined) {
    this.agent = agent;
    this.conversations = conversations;
  }

  /** When a client must have taken the whole answer to a question asked now, on the clock of `performance`. */
  sendUntil(): number {
    return performance.now() + this.agent.requestTimeoutMs + TAKING_MS;
  }

  /** `conversationId` is missing when nothing could be stored. */
  async answer(asked: Question, scope: Scope): Promise<{ answer: Answer; conversationId: string | undefined }> {
    const conversation = await this.conversations?.open(asked, scope);
    if (conversation === undefined) {
      return { answer: await this.agent.answer(asked, scope), conversationId: undefined };
    }
    try {
      const answer = await this.agent.answer(conversation.question, scope, (event) => conversation.record(event));
      void conversation.end('complete');
      return { answer, conversationId: await storedId(conversation, ANSWER_WAIT_MS) };
    } catch (error) {
      // Whoever is told of the failure finds what had been said.
      await withTimeout(conversation.end('interrupted'), NAMING_MS, () => false);
      throw error;
    }
  }

  async stream(asked: Question, scope: Scope, client: ChatClient): Promise<AnswerStream> {
    const askedAt = performance.now();
    const conversation = await this.openChat(asked, scope, client);
    if (conversation === undefined) {
      return { events: this.agent.ask(asked, scope), messageId: randomUUID(), conversationId: undefined };
    }
    const answering = recorded(this.agent.ask(conversation.question, scope), conversation);
    // The agent begins meanwhile.
    const first = answering.next();
    // Whoever reads the events meets its failure, and may come later than it.
    first.catch(() => {});
    const events = continued(first, answering);
    return {
      events,
      messageId: conversation.answerId,
      conversationId: await storedId(conversation, Math.max(0, NAMING_MS - (performance.now() - askedAt))),
    };
  }

  /**
   * The conversation of a chat. One that only the client's own name says is not worth the answer, as the client sends
   * the messages as well: where the database is away or slow, the answer is given and not stored.
   */
  private async openChat(asked: Question, scope: Scope, client: ChatClient): Promise<OpenConversation | undefined> {
    const opening = this.conversations?.open(asked, scope, client);
    if (opening === undefined || asked.conversationId !== undefined || client.name === undefined) return opening;
    let isLate = false;
    const opened = opening.then(
      (conversation) => {
        // The answer is being given without it.
        if (isLate) void conversation?.end('interrupted');
        return conversation;
      },
      (error: unknown) => {
        if (!(error instanceof AtlasError) || error.code !== 'unavailable') throw error;
        scope.log.error({ error: error.message }, 'A conversation could not be opened by its name.');
        return undefined;
      },
    );
    return withTimeout(opened, NAMING_MS, () => {
      isLate = true;
      opened.catch(() => {});
      scope.log.error({}, 'A conversation could not be opened by its name in time.');
      return undefined;
    });
  }
}

/** The conversation's id, once it is known to be stored; what is said in it is written while nobody waits. */
async function storedId({ id, begun }: OpenConversation, waitMs: number): Promise<string | undefined> {
  return (await withTimeout(begun, waitMs, () => false)) ? id : undefined;
}

/** The same events, written down as they pass. */
async function* recorded(
  events: AsyncIterable<AgentEvent>,
  conversation: OpenConversation,
): AsyncGenerator<AgentEvent, void> {
  let isComplete = false;
  try {
    for await (const event of events) {
      conversation.record(event);
      isComplete = event.type === 'finish';
      if (isComplete) void conversation.end('complete');
      yield event;
    }
  } finally {
    if (!isComplete) void conversation.end('interrupted');
  }
}

/** The events of an answer whose first one has been asked for. */
async function* continued(
  first: Promise<IteratorResult<AgentEvent, void>>,
  rest: AsyncGenerator<AgentEvent, void>,
): AsyncGenerator<AgentEvent, void> {
  try {
    const { value, done } = await first;
    if (done === true) return;
    yield value;
    yield* rest;
  } finally {
    await rest.return();
  }
}
