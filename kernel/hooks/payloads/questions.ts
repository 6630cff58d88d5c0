/** Types what goes to the agent and what its tools return. */
import type { TSchema } from '@sinclair/typebox';
import type { Scope } from '../../scope.ts';
import type { Awaitable } from '../kinds.ts';
import type { PendingAction } from './actions.ts';
import type { SqlReply, SqlResult } from './sql.ts';

export interface ChatTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The last query of an answer, for follow-ups such as "and by region?". */
  readonly query?: { readonly sql: string; readonly columns: readonly string[] };
}

export interface Question {
  /** Earlier turns and, last, the user's question. */
  readonly turns: readonly ChatTurn[];
  /** Where the question came from: `api`, `web`, `cli`, `mcp`, `schedule`, `webhook`. */
  readonly surface: string;
  readonly connectionId?: string;
  readonly conversationId?: string;
  /** The client's own name for the conversation, read where there is no id. A UUID becomes its id. */
  readonly conversationName?: string;
  /** Asked before, as the conversation's last question or as any: the answer, and what followed, is replaced. */
  readonly regenerates?: 'last' | 'any';
  /** Set by the agent where the model's context is small: bytes for all context parts, and for one result. */
  readonly room?: { readonly contextBytes: number; readonly resultBytes: number };
}

/** A piece of the instructions. Untrusted ones are fenced off as data; those that depend on the question come last. */
export interface ContextPart {
  readonly title: string;
  readonly text: string;
  readonly trusted: boolean;
  readonly perQuestion?: boolean;
}

/** A model of the AI SDK's provider interface, and its context size if configured; the agent checks the version. */
export interface ResolvedModel {
  readonly model: { readonly specificationVersion: string; readonly provider: string; readonly modelId: string };
  /** As the health report names it. */
  readonly provider: string;
  readonly contextTokens?: number;
  /** It reads questions by itself, without a language model. */
  readonly isOffline?: boolean;
  /** An organization chose it: the health report, which is about the server's own, says nothing of it. */
  readonly isChosen?: boolean;
}

/** A table that an answer shows. */
export interface ToolTable extends Omit<SqlResult, 'notes'>, Partial<Pick<SqlResult, 'notes'>> {
  readonly sql: string;
  readonly connectionId: string;
  /** The statement as it may be shown, without what was bound; how long it took, and its audit entry. */
  readonly ran?: Omit<SqlReply, 'result'>;
}

export interface ToolOutcome {
  /** What the model reads: bounded, never a whole result. */
  readonly forModel: unknown;
  /** What the client gets as the tool's result. Default: `forModel`. */
  readonly forClient?: unknown;
  /** Set when the tool ran SQL; `tables` when it ran several statements. */
  readonly table?: ToolTable;
  readonly tables?: readonly ToolTable[];
  readonly pendingAction?: PendingAction;
}

export interface ToolRun {
  readonly scope: Scope;
  readonly question: Question;
  /** Kept through one question, for a tool that must remember what it was asked before. */
  readonly memory: Map<string, unknown>;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** Schema of the arguments. */
  readonly input: TSchema;
  run(input: unknown, run: ToolRun): Awaitable<ToolOutcome>;
}
