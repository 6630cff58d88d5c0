/** Asks one question as every surface does, and compares what comes with what the expected statements give. */
import { randomUUID } from 'node:crypto';
import {
  type App,
  AtlasError,
  datasourceList,
  messageOf,
  type PluginContext,
  type Scope,
  type SqlResult,
} from '../../kernel/index.ts';
import { type Answer, type AnswerNote, agent } from '../agent/index.ts';
import {
  type ExpectedResult,
  goldOrder,
  inGivenOrder,
  orderedGroups,
  resultDifference,
  unordered,
} from '../comparison-kit/index.ts';
import { dialectOf, type SqlDialect } from '../sql-kit/index.ts';
import type { EvalCase } from './cases.ts';
import type { ObservedQuestions, Spent } from './observer.ts';
import type { RecordingFolder } from './recording.ts';

/** `refused`: no answer was given, honestly. `error`: the case could not be judged. */
export type Status = 'passed' | 'failed' | 'refused' | 'error';

/** One line of a file of results. */
export interface CaseResult {
  readonly id: string;
  readonly status: Status;
  /** Why it did not pass, in one sentence. */
  readonly reason: string | null;
  readonly schema: string;
  readonly category: string;
  readonly difficulty: string;
  readonly question: string;
  /** Statements that ran for the answer. */
  readonly sql: readonly string[];
  readonly notes: readonly AnswerNote[];
  readonly model: string | null;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `null`: the model has no price. */
  readonly cost: number | null;
  /** Of several askings, that of the first one. */
  readonly durationMs: number;
  /** Present where the case was asked several times: how many results agree with the most frequent one, and how many passed. */
  readonly repeated?: { readonly askings: number; readonly agreeing: number; readonly passed: number };
  /** Hash of question and expected answer: a result of another version of the case does not count. */
  readonly hash: string;
}

export interface CaseRun {
  readonly app: App;
  readonly questions: ObservedQuestions;
  readonly recordings: RecordingFolder | undefined;
  readonly signal: AbortSignal;
}

export interface Verdict {
  readonly status: Status;
  readonly reason: string | null;
}

/** Prepares the verdict before the question is asked, so that nothing is spent on a case that cannot be judged. */
export type Judge = (scope: Scope) => Promise<(answer: Answer) => Verdict | Promise<Verdict>>;

/** A question that is asked, with what its result tells of it. */
export type AskedCase = Pick<EvalCase, 'id' | 'question' | 'schema' | 'category' | 'difficulty' | 'hash'>;

/** Administrators see all that the layer shows, as on the command line. */
const ACTOR = { id: null, label: null, role: 'admin', mode: 'none', claims: {} } as const;

const sentence = (error: unknown) => {
  const hint = error instanceof AtlasError && error.hint !== undefined ? ` ${error.hint}` : '';
  return `${messageOf(error)}${hint}`;
};

/** Asks a case, and compares the results of its statements with that of the answer. */
export const runCase = (run: CaseRun, item: EvalCase, onAnswer?: (answer: Answer) => void): Promise<CaseResult> =>
  askCase(run, item, async (scope) => {
    const verdictOf = await judgeOf({ ctx: run.app, surface: 'cli' }, item)(scope);
    return (answer) => {
      onAnswer?.(answer);
      return verdictOf(answer);
    };
  });

export interface StatementRunner {
  readonly ctx: Pick<PluginContext, 'call' | 'runSql'>;
  /** What the audit log has as the surface of the expected statements. */
  readonly surface: string;
}

/** Runs what a case expects; an answer passes with one of these results. */
export function judgeOf(runner: StatementRunner, item: EvalCase): Judge {
  return async (scope) => {
    const expected = await expectedResults(runner, item, scope);
    return (answer) => judged(item, answer, expected);
  };
}

/** Rejects only when the run is stopped. */
export async function askCase(run: CaseRun, item: AskedCase, judge: Judge): Promise<CaseResult> {
  const requestId = randomUUID();
  const spent: Spent = { inputTokens: 0, outputTokens: 0 };
  const scope = run.app.scope({ requestId, actor: ACTOR, signal: run.signal });
  let answer: Answer | undefined;
  let verdict: Verdict;
  let durationMs = 0;
  try {
    const verdictOf = await judge(scope);
    const recording = await run.recordings?.open(item.id);
    run.questions.set(requestId, { spent, recording });
    const startedAt = performance.now();
    answer = await run.app
      .get(agent)
      .answer({ turns: [{ role: 'user', text: item.question }], surface: 'cli' }, scope)
      .finally(async () => {
        const now = Math.round(performance.now() - startedAt);
        durationMs = (await recording?.durationMs(now)) ?? now;
      });
    verdict = await verdictOf(answer);
  } catch (error) {
    run.signal.throwIfAborted();
    verdict = { status: 'error', reason: sentence(error) };
  } finally {
    run.questions.delete(requestId);
  }
  const { id, schema, category, difficulty, question, hash } = item;
  return {
    ...{ id, ...verdict, schema, category, difficulty, question },
    sql: answer?.sql ?? [],
    notes: answer?.notes ?? [],
    model: spent.model ?? null,
    steps: answer?.steps ?? 0,
    inputTokens: spent.inputTokens,
    outputTokens: spent.outputTokens,
    cost: spent.cost ?? null,
    durationMs,
    hash,
  };
}

/** `undefined`: the question was answered. */
export function refusal({ outcome, text }: Answer): Verdict | undefined {
  if (outcome === 'answered') return undefined;
  return { status: 'refused', reason: `${REFUSALS[outcome]}: ${firstLine(text)}` };
}

const PASSED: Verdict = { status: 'passed', reason: null };
export const NO_STATEMENT: Verdict = { status: 'failed', reason: 'The answer rests on no statement.' };

function judged(item: EvalCase, answer: Answer, expected: readonly ExpectedResult[]): Verdict {
  if (item.clarify && answer.outcome === 'clarify') return PASSED;
  const refused = refusal(answer);
  if (refused !== undefined) return refused;
  if (item.clarify)
    return {
      status: 'failed',
      reason: 'Expected a question back, because the question is ambiguous; it was answered.',
    };
  const table = answer.data.at(-1);
  if (table === undefined) return NO_STATEMENT;
  if (table.truncated) {
    return {
      status: 'failed',
      reason: `The result of the answer is cut at ${table.rows.length} rows, so it cannot be the expected one.`,
    };
  }
  const reasons = expected.map((result) => resultDifference(table, result));
  return reasons.includes(undefined) ? PASSED : { status: 'failed', reason: reasons[0] ?? null };
}

const REFUSALS = {
  clarify: 'The agent asked back',
  declined: 'The agent declined',
  failed: 'The agent reached no answer',
} as const;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Runs the expected statements under the guard of the composition. */
async function expectedResults(runner: StatementRunner, item: EvalCase, scope: Scope): Promise<ExpectedResult[]> {
  if (item.clarify) return [];
  const dialect = await defaultDialect(runner.ctx, scope);
  const results: ExpectedResult[] = [];
  for (const sql of item.sql) results.push(await expectedResult(runner, sql, dialect, scope));
  return results;
}

async function defaultDialect(ctx: StatementRunner['ctx'], scope: Scope): Promise<SqlDialect> {
  const connections = (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);
  const connection = connections.find(({ id }) => id === 'default') ?? connections[0];
  if (connection === undefined)
    throw new AtlasError('No datasource is configured.', { hint: 'Set SVC_DATASOURCE_URL.' });
  const dialect = await dialectOf(ctx, connection.dbType, scope);
  await dialect.load?.();
  return dialect.forConnection?.(connection) ?? dialect;
}

async function expectedResult(
  { ctx, surface }: StatementRunner,
  sql: string,
  dialect: SqlDialect,
  scope: Scope,
): Promise<ExpectedResult> {
  const run = async (statement: string): Promise<SqlResult> =>
    (await ctx.runSql({ sql: statement, surface }, scope)).result;
  const result = await run(sql).catch((error: unknown) => {
    scope.signal.throwIfAborted();
    throw new AtlasError(`The expected statement does not run: ${sentence(error)}`, { cause: error });
  });
  if (result.truncated) {
    throw new AtlasError(`The result of the expected statement is cut at ${result.rows.length} rows.`, {
      hint: 'Aggregate, or raise SVC_ROW_LIMIT.',
    });
  }
  const order = goldOrder(sql, dialect);
  if (order === undefined) return unordered(result);
  if (order.sql === undefined || result.rows.length === 0) return inGivenOrder(result);
  // What cannot be run with its keys is compared row by row.
  const keyed = await run(order.sql).catch(() => undefined);
  scope.signal.throwIfAborted();
  if (keyed === undefined || keyed.rows.length < result.rows.length) return inGivenOrder(result);
  return orderedGroups(keyed, order, result.rows.length);
}
