/** Defines the API of the agent: its events and its answer. */
import type { PendingAction, Question, Scope, SqlRequest, ToolTable } from '../../kernel/index.ts';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Set when a provider did not report all of it, so that a part is estimated. */
  readonly estimated?: boolean;
}

/** How a question ended: `declined` when it cannot be answered from the data, `failed` when no answer was reached. */
export type Outcome = 'answered' | 'clarify' | 'declined' | 'failed';

/** Something that the reader of an answer should know. */
export interface AnswerNote {
  /** Lower snake case, for programs: `truncated`, `policy_applied`, … */
  readonly code: string;
  readonly message: string;
  /** Its message quotes SQL, which not every reader may see. */
  readonly quotesSql?: boolean;
}

/** One of the meanings between which the user is asked to choose. */
export interface Choice {
  readonly id?: string;
  readonly label: string;
  readonly description?: string;
}

/** The verified query that answered: who vouches for its statement, since when, and what was put into it. */
export interface Verification {
  readonly name: string;
  readonly by: string;
  /** A day or ISO 8601, as in the layer. */
  readonly at: string;
  /** By name. A period is `{from, to}`, the end exclusive; `null` was left out. */
  readonly parameters: Readonly<Record<string, VerifiedValue>>;
}
export type VerifiedValue = string | number | null | { readonly from: string; readonly to: string };

/**
 * What plugins tell of a result beside its rows: fields of their own, each declared in the API's `DataTable`. What quotes SQL
 * is in properties called `sql`, which not every reader gets.
 */
export type TableFacts = Readonly<Record<string, unknown>>;

export interface AnswerTable extends ToolTable {
  readonly about?: TableFacts;
}

export interface Answer {
  readonly text: string;
  readonly outcome: Outcome;
  readonly notes: readonly AnswerNote[];
  /** Present when the outcome is `clarify`. */
  readonly choices?: readonly Choice[];
  /** Questions that may follow, as texts. */
  readonly suggestions?: readonly string[];
  /** Present when every table of the answer comes from a verified query: the last of them. */
  readonly verified?: Verification;
  /** Statements that ran, in order. */
  readonly sql: readonly string[];
  /** One table per statement of `sql`. */
  readonly data: readonly AnswerTable[];
  /** Model calls made. */
  readonly steps: number;
  readonly usage: Usage;
  readonly pendingActions: readonly PendingAction[];
  /** `stop`: the model had finished; `length`: the step or token limit ended it. */
  readonly finishReason: 'stop' | 'length';
  /** Id of the stored conversation; missing where nothing is stored. */
  readonly conversationId?: string;
}

/** The first event of a streamed answer that is recorded. */
export interface AnswerStarted {
  readonly type: 'start';
  /** Id of the answer as a message. */
  readonly messageId: string;
  /** Missing when it is not known to be stored. */
  readonly conversationId?: string;
}

export interface ToolCalled {
  readonly type: 'tool-call';
  /** Unique across all questions, whatever id the model uses. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

/** What a tool asked the database, and what ran. */
export interface StatementFacts {
  /** The call whose result it is. The last facts of a call hold. */
  readonly toolCallId: string;
  /** As the model, or the tool for it, wrote it. */
  readonly requested: string;
  /** As the database ran it, policies included; `?` in place of their literals. */
  readonly executed: string;
  /** What was done to it, and by which plugin. The condition of a policy is there for administrators alone. */
  readonly changes: readonly { readonly plugin: string; readonly reason: string }[];
  readonly tables: readonly string[];
  readonly connectionId: string;
  readonly durationMs: number;
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly notes: readonly AnswerNote[];
  /** Id of the audit entry; `null` where none is stored. */
  readonly auditId: string | null;
  readonly about?: TableFacts;
}

export interface ToolReturned {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  /** `{error, hint?}` when the call failed. */
  readonly result: unknown;
  /** Why the call failed, in one sentence; absent when it succeeded. */
  readonly error?: string;
  /** Present when the call ran a statement, or changed what is told of an earlier one. */
  readonly statement?: StatementFacts;
}

export type AgentEvent =
  | AnswerStarted
  | { readonly type: 'text'; readonly text: string }
  /** What a reasoning model thinks before it answers; no part of the answer. */
  | { readonly type: 'reasoning'; readonly text: string }
  | ToolCalled
  | ToolReturned
  | { readonly type: 'finish'; readonly answer: Answer };

/** What a model is sent for a question before its first step. */
export interface Prompt {
  readonly model: string;
  /** Bytes of UTF-8 of all parts. */
  readonly bytes: number;
  readonly parts: readonly { readonly title: string; readonly text: string; readonly bytes: number }[];
}

/** What a statement brought that a caller wrote. */
export interface RanStatement {
  readonly table: AnswerTable;
  readonly notes: readonly AnswerNote[];
  /** Has its rows count no more as memory in use: to be called once they have been sent. */
  release(): void;
}

/** The API of the `agent` plugin. Failures are `AtlasError`s with the interface's codes. */
export interface Agent {
  /** Time limit of one question. */
  readonly requestTimeoutMs: number;
  /** Answers a question as a stream that ends with `finish` or throws. Leaving the loop cancels model call and SQL. */
  ask(question: Question, scope: Scope): AsyncIterable<AgentEvent>;
  /** Answers a question without streaming from the model. `observe` is called with every event. */
  answer(question: Question, scope: Scope, observe?: (event: AgentEvent) => void): Promise<Answer>;
  /** Runs a statement that a caller wrote through the pipeline of all statements, without a model. */
  runStatement(request: SqlRequest, scope: Scope): Promise<RanStatement>;
  /** What the model would be sent for a question, without asking it. */
  prompt?(question: Question, scope: Scope): Promise<Prompt>;
  /** Has the rows of answers to this scope count as memory in use until the result is called. */
  retain?(scope: Scope): () => void;
}
