/** What the agent says while it works, and what it has said in the end. */
import type { PendingAction, Question, Scope, ToolTable } from '../../kernel/index.ts';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

export interface Answer {
  readonly text: string;
  /** Statements that ran, in order. */
  readonly sql: readonly string[];
  /** One table for each statement of `sql`. */
  readonly data: readonly ToolTable[];
  /** Model calls made. */
  readonly steps: number;
  readonly usage: Usage;
  readonly pendingActions: readonly PendingAction[];
  /** `stop`: the model had finished; `length`: the step limit or the token limit cut it. */
  readonly finishReason: 'stop' | 'length';
}

export interface ToolCalled {
  readonly type: 'tool-call';
  /** Never the same again, whatever the model calls it: unique in a conversation of any length. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

export interface ToolReturned {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  /** Of a call that failed `{error, hint?}`. */
  readonly result: unknown;
  /** Why the call failed, one sentence; missing when it did not. */
  readonly error?: string;
}

export type AgentEvent =
  | { readonly type: 'text'; readonly text: string }
  | ToolCalled
  | ToolReturned
  | { readonly type: 'finish'; readonly answer: Answer };

/** The API of the `agent` plugin. Failures are `AtlasError`s with the interface's codes. */
export interface Agent {
  /** Longest time of one question. */
  readonly requestTimeoutMs: number;
  /** Streams the work on a question. Ends with `finish`, or throws. Leaving the loop cancels model call and SQL. */
  ask(question: Question, scope: Scope): AsyncIterable<AgentEvent>;
  /** Works on a question without streaming from the model. `observe` hears every event on the way. */
  answer(question: Question, scope: Scope, observe?: (event: AgentEvent) => void): Promise<Answer>;
}
