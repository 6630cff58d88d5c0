/** Defines the hooks of the agent. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { collect, first, type Question, type Scope, type ToolTable } from '../../kernel/index.ts';
import type { AgentEvent, AnswerNote, TableFacts } from './api.ts';

/** Answers a question. `isStreamed`: the caller reads events as they come instead of the answer alone. */
export type Ask = (question: Question, scope: Scope, isStreamed: boolean) => AsyncIterable<AgentEvent>;

/** A tap returns functions that wrap `Ask`; the first tap's is the outermost. */
export const agentWrap = collect<undefined, (ask: Ask) => Ask>('agent.wrap', {
  summary: 'Wraps the work on every question, whatever asked it: recording, budgets, suggestions.',
});

/** A query that a tool is about to run for the model. */
export interface QueryAttempt {
  readonly question: Question;
  readonly sql: string;
  /** Missing for the default connection. */
  readonly connectionId: string | undefined;
}

/** Why a query should be reconsidered, for the model. */
export interface QueryObjection {
  readonly message: string;
  readonly hint: string;
  /** For the reader of the answer, when the model runs the query all the same. */
  readonly note?: AnswerNote;
}

/** The model may run the same query again after an objection: each is told once for a question. */
export const queryCheck = collect<QueryAttempt, QueryObjection>('agent.query-check', {
  summary:
    'Objections to a query of the model before it runs: a term without a settled meaning, a value that no row has, a comparison of different types, a default condition that is left out, rows that a join repeats.',
});

/** A tap returns a note when the question may call no more tools: it is then answered from what is known. */
export const agentContinue = first<Question, AnswerNote>('agent.continue', {
  summary: 'Asked before every step of a question but the first: a note ends the use of tools, and is shown.',
});

/** The next step of a reader without a language model: calls of tools, their arguments as JSON, or the text of an answer. */
export type ReaderStep =
  | { readonly calls: readonly { readonly toolName: string; readonly input: string }[] }
  | { readonly text: string; readonly outcome?: 'clarify' | 'declined' };

/** Says the next step of a question in place of the reader; `read` gives the one that there is without it. */
export type Recognition = (
  call: LanguageModelV4CallOptions,
  read: () => Promise<ReaderStep>,
) => ReaderStep | Promise<ReaderStep>;

export const questionRecognize = collect<Question, Recognition>('question.recognize', {
  summary: 'Recognizes a question, so that the reader without a language model need not understand it.',
});

/** Asks one after the other: what `read` gives to one is the step of those behind it, and to the last that of the reader. */
export const inTurn =
  (recognitions: readonly Recognition[]): Recognition =>
  (call, read) =>
    recognitions.reduceRight<() => Promise<ReaderStep>>((rest, recognize) => async () => recognize(call, rest), read)();

/** A result that a reader is about to get. */
export interface TableShown {
  readonly table: ToolTable;
  /** Missing for a statement that a caller wrote. */
  readonly question: Question | undefined;
  /** A person vouches for its statement. */
  readonly isVerified: boolean;
}

export interface TableRemark {
  readonly facts?: TableFacts;
  /** A sentence for the model, with the result. */
  readonly forModel?: string;
  /** A sentence that the text of the answer has to say; the model is told so. */
  readonly forAnswer?: string;
}

/** Whatever fails here is logged, and the result is shown without it. */
export const tableDescribe = collect<TableShown, TableRemark>('agent.table-describe', {
  summary: 'Describes a result beside its rows: where it comes from, how it is drawn, why it is empty.',
  deadlineMs: 5_000,
});

/** An answer before it ends. */
export interface AnswerDraft {
  readonly question: Question;
  readonly text: string;
  /** The results of this question. */
  readonly tables: readonly ToolTable[];
  /** What the model read besides them: its instructions, and results without rows. */
  readonly context: () => readonly string[];
}

export interface AnswerFinding {
  /** What the model is asked to correct. `needsTools`: it has to look something up. */
  readonly correction?: { readonly request: string; readonly needsTools: boolean };
  /** What is wrong, for the reader of the answer when it stays so. */
  readonly notes: readonly AnswerNote[];
  /** What the reader gets in place of the answer when it stays so: the question then counts as failed. */
  readonly instead?: string;
}

/** A correction is asked for once a question, for all taps together; the notes of the last check are kept. */
export const answerCheck = collect<AnswerDraft, AnswerFinding>('agent.answer-check', {
  summary: 'Checks the text of an answer before it ends: asks the model to correct it once, or notes what is wrong.',
  deadlineMs: 5_000,
});
