/** Runs the tool calls of the steps of one question, and keeps what they brought. */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { messageOf, type PendingAction, type Scope, type ToolOutcome, type ToolTable } from '../../../kernel/index.ts';
import { MAX_CALLS, QUERY_TOOL, sizeOf, type ToolCall } from '../../model-kit/index.ts';
import type { AgentEvent, AnswerTable } from '../api.ts';
import type { ArrivingRows, QuestionBudget } from '../budget.ts';
import type { Attempts } from '../candidates.ts';
import { type QuestionDeadline, untilAborted } from '../deadlines.ts';
import type { Bus } from '../events.ts';
import { type AnswerNotes, memoryOfTrial, notesOf } from '../notes.ts';
import type { AgentOptions } from '../options.ts';
import { triedOnly } from '../pending-approval.ts';
import type { Preparation } from '../preparation.ts';
import { verificationOf } from '../verification.ts';
import { type FinishedCall, Progress } from './progress.ts';
import { QuestionTables } from './question-tables.ts';
import { shownTable } from './result-table.ts';
import { statementFacts } from './statement-facts.ts';
import type { DescribeTable } from './table-description.ts';
import { errorOf, failed, forModel, withFewerRows, withNote } from './tool-outcome.ts';

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;

/** Calls of one step that run in parallel. */
const PARALLEL_CALLS = 4;
/** Calls of one step that are run; the rest are refused. */
const CALLS_PER_STEP = 16;

type Retry = Pick<Attempts, 'again' | 'dialectOf'>;

export interface CallRunnerInit {
  readonly prepared: Preparation;
  readonly deadline: QuestionDeadline;
  readonly budget: QuestionBudget;
  readonly bus: Bus;
  readonly options: AgentOptions;
  /** What tools remember of the question. */
  readonly memory: Map<string, unknown>;
  readonly describe: DescribeTable;
  /** Where the first query of the question may be tried in other ways; missing where it may not. */
  readonly retry?: Retry;
}

export class CallRunner {
  readonly pendingActions: PendingAction[] = [];
  /** Why no further tool call is made. */
  standstill: string | undefined;
  lastError: string | undefined;
  lastCallFailed = false;
  readonly #init: CallRunnerInit;
  readonly #progress = new Progress();
  readonly #tables: QuestionTables;
  #hasQueried = false;

  constructor(init: CallRunnerInit) {
    this.#init = init;
    this.#tables = new QuestionTables(init.memory);
  }

  get tables(): readonly AnswerTable[] {
    return this.#tables.list;
  }

  /** Runs the calls of one step; client and model get the results in the order of the calls. */
  async *run(calls: readonly ToolCall[]): AsyncGenerator<AgentEvent, ToolMessage> {
    // Calls of an answer that is cut have no result, so they are never announced.
    for (const { toolCallId, toolName, args } of calls) yield { type: 'tool-call', toolCallId, toolName, args };
    const { budget, deadline } = this.#init;
    const results: ToolMessage['content'] = [];
    const finished: FinishedCall[] = [];
    while (results.length < calls.length) {
      const start = results.length;
      const group = calls.slice(start, start + (budget.allowsParallelCalls ? PARALLEL_CALLS : 1));
      const running = group.map((call, index) => this.#runTool(call, start + index));
      for (const outcome of running) outcome.catch(() => {});
      for (const [index, call] of group.entries()) {
        const { toolCallId, modelCallId, toolName } = call;
        const outcome = (await running[index]) as ToolOutcome;
        if (outcome.table !== undefined) this.#tables.add(outcome.table, toolCallId);
        this.#await(outcome.pendingAction);
        const error = errorOf(outcome);
        this.lastCallFailed = error !== undefined;
        if (error !== undefined) this.lastError = error;
        finished.push({ toolName, args: call.args, error, result: outcome.forModel });
        const result = outcome.forClient ?? outcome.forModel;
        const { actor } = deadline.scope;
        const statement = outcome.table ? statementFacts(toolCallId, outcome.table, actor) : this.#tables.news(actor);
        yield {
          type: 'tool-result',
          toolCallId,
          toolName,
          result,
          ...(error !== undefined && { error }),
          ...(statement && { statement }),
        };
        yield* this.#statements(toolCallId, outcome.tables);
        results.push({ type: 'tool-result', toolCallId: modelCallId, toolName, output: forModel(outcome) });
      }
    }
    this.standstill = this.#progress.step(finished);
    return { role: 'tool', content: results };
  }

  /** Shows the statements of a tool that ran several as calls of their own; the model does not see them. */
  *#statements(toolCallId: string, tables: readonly ToolTable[] = []): Generator<AgentEvent> {
    for (const [at, table] of tables.entries()) {
      const call = { toolCallId: `${toolCallId}-${at + 1}`, toolName: QUERY_TOOL };
      yield { type: 'tool-call', ...call, args: { sql: table.sql, connectionId: table.connectionId } };
      const statement = statementFacts(call.toolCallId, table, this.#init.deadline.scope.actor);
      this.#tables.add(table, call.toolCallId);
      yield { type: 'tool-result', ...call, result: shownTable(table), statement };
    }
  }

  /** The same statement asked for twice awaits the same action. */
  #await(action: PendingAction | undefined): void {
    if (action === undefined || this.pendingActions.some(({ id }) => id === action.id)) return;
    this.pendingActions.push(action);
  }

  async #runTool(call: ToolCall, index: number): Promise<ToolOutcome> {
    if (index >= CALLS_PER_STEP) {
      return failed(`Not run: more than ${CALLS_PER_STEP} calls in one step.`, 'Make fewer calls, each for more.');
    }
    const { budget, deadline, prepared, bus, memory } = this.#init;
    if (budget.isSpent) return failed('Not run: there is no room for further results.', budget.notice);
    const { scope } = deadline;
    const { question, tools } = prepared;
    const isFirst = call.toolName === QUERY_TOOL && !this.#hasQueried && this.tables.length === 0;
    const retry = isFirst ? this.#init.retry : undefined;
    this.#hasQueried ||= call.toolName === QUERY_TOOL;
    return budget.whileArriving(scope.part(), async (part, rows) => {
      const outcome = await untilAborted(tools.run(call, { scope: part, question, memory }, bus), part.signal);
      const chosen = retry === undefined ? outcome : await this.#retried(outcome, retry, part);
      return this.#described(this.#counted(chosen, rows), part);
    });
  }

  async #described(outcome: ToolOutcome, scope: Scope): Promise<ToolOutcome> {
    const { describe, prepared, memory } = this.#init;
    const described = (table: ToolTable) =>
      describe(table, prepared.question, scope, verificationOf(memory, [table]) !== undefined);
    const table = outcome.table && (await described(outcome.table));
    const tables = outcome.tables && (await Promise.all(outcome.tables.map(described)));
    const told = table?.notes.reduce(withNote, outcome) ?? outcome;
    return {
      ...told,
      ...(table && { table: table.table }),
      ...(tables && { tables: tables.map((one) => one.table) }),
    };
  }

  /** What most statements for the question find, where the first one fails or finds nothing. */
  async #retried(first: ToolOutcome, retry: Retry, scope: Scope): Promise<ToolOutcome> {
    const { prepared, bus, memory, options } = this.#init;
    const { chosenOutcome, isDoubtful } = await import('../candidates.ts');
    if (!isDoubtful(first)) return first;
    const notes = new Map<ToolOutcome, AnswerNotes>();
    const run = async (call: ToolCall): Promise<ToolOutcome> => {
      const part = scope.part();
      triedOnly.set(part, true);
      const own = memoryOfTrial(memory);
      const { question, tools } = prepared;
      const running = tools.run(call, { scope: part, question, memory: own }, bus);
      const outcome = await untilAborted(running, part.signal).catch((error: unknown) => {
        if (part.signal.aborted) throw error;
        return failed(messageOf(error));
      });
      notes.set(outcome, notesOf(own));
      return outcome;
    };
    const { outcome, chosen, note } = await chosenOutcome(first, { ...retry, most: options.candidates, run });
    for (const one of notes.get(chosen)?.list ?? []) notesOf(memory).add(one);
    if (note !== undefined) notesOf(memory).add(note);
    return outcome;
  }

  /** Counts a result as soon as it is available, and drops the rows that do not fit. */
  #counted(outcome: ToolOutcome, arrived: ArrivingRows): ToolOutcome {
    const { budget, prepared, options } = this.#init;
    const { questionBudgetBytes } = options;
    const table = outcome.table && budget.holdTable(outcome.table, arrived);
    const kept = table === outcome.table ? outcome : withFewerRows(outcome, table as ToolTable, prepared.resultBytes);
    const tables = outcome.tables?.map((one) => budget.holdTable(one, arrived));
    budget.hold(sizeOf(kept.forModel, questionBudgetBytes));
    if (table === undefined) budget.hold(sizeOf(kept.forClient, questionBudgetBytes));
    const { notice } = budget;
    const counted = tables === undefined ? kept : { ...kept, tables };
    return notice === undefined ? counted : withNote(counted, notice);
  }
}

/** Refuses all calls in the result of the first, the only one that is sent back to the model. */
export function refusal([first]: readonly ToolCall[]): ToolMessage {
  if (first === undefined) return { role: 'tool', content: [] };
  const { modelCallId: toolCallId, toolName } = first;
  const refused = failed(
    `None of the calls was run: there were more than ${MAX_CALLS} in one step.`,
    `Make at most ${CALLS_PER_STEP} calls, each for more.`,
  );
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: forModel(refused) }] };
}
