/** Keeps SQL from readers whose role is too low for it: in events, answers, tables and stored parts. */
import type { Actor, RouteReply, Scope } from '../../kernel/index.ts';
import type { AgentEvent, Answer, AnswerNote, AnswerTable, Ask, StatementFacts } from '../agent/index.ts';
import { CodeFilter, withoutCode } from './code-filter.ts';

/** In place of what a database or a rule says of a statement, which may quote it. */
const FAILED = 'The call failed.';
const AWAITS_APPROVAL = 'It awaits approval.';

/** The service of the `query-api` plugin. */
export interface QueryApi {
  /** Whether the actor may see SQL: of answers, of tables and of stored conversations. */
  showsSql(actor: Pick<Actor, 'role'>): boolean;
  /** The chat stream for `useChat` of an answer of which the events are read from storage, as this reader may see it. */
  resumed(events: AsyncIterable<AgentEvent>, scope: Scope): Promise<RouteReply>;
}

/** Asks the plugin, where the composition has it: without it there is no option that hides SQL. */
export function showsSqlBy(api: QueryApi | undefined): QueryApi['showsSql'] {
  return (actor) => api?.showsSql(actor) ?? true;
}

/** The agent, wrapped, outside of what records the answer: SQL stays in storage, for follow-ups and other readers. */
export function hidingAgent(showsSql: QueryApi['showsSql'], ask: Ask): Ask {
  return (question, scope, isStreamed) => shownEvents(ask(question, scope, isStreamed), showsSql(scope.actor));
}

/** The events of an answer as this reader may see them. */
export async function* shownEvents(events: AsyncIterable<AgentEvent>, showsSql: boolean): AsyncGenerator<AgentEvent> {
  const hidden: Hidden = { prose: new CodeFilter(), errors: new Set(), held: '' };
  for await (const event of events) {
    if (!showsSql) yield* withoutSql(event, hidden);
    else if (event.type !== 'finish') yield event;
    else yield { ...event, answer: { ...event.answer, notes: shownNotes(event.answer.notes, true) } };
  }
  yield* heldText(hidden);
}

/** What is kept of an answer while it is told. */
interface Hidden {
  readonly prose: CodeFilter;
  /** What failed calls said: an answer that was not reached repeats it. */
  readonly errors: Set<string>;
  /** The text since a call failed: it may quote an error in pieces. */
  held: string;
}

function withoutErrors(text: string, errors: Iterable<string>): string {
  let shown = text;
  // An error may hold a shorter one.
  for (const error of [...errors].sort((one, other) => other.length - one.length))
    if (error !== '') shown = shown.replaceAll(error, FAILED);
  return shown;
}

/** What is left of an event. Arguments and results of tools that ran no statement may hold any SQL, and are dropped whole. */
function* withoutSql(event: AgentEvent, hidden: Hidden): Generator<AgentEvent> {
  const { prose, errors } = hidden;
  switch (event.type) {
    case 'reasoning':
      return;
    case 'text':
      if (errors.size > 0) hidden.held += event.text;
      else yield* textEvents(prose.add(event.text));
      return;
    case 'tool-call':
      yield* heldText(hidden);
      yield { ...event, args: {} };
      return;
    case 'tool-result': {
      const { error, result, statement, ...rest } = event;
      if (error !== undefined) errors.add(error);
      if (error !== undefined) yield { ...rest, error: FAILED, result: { error: FAILED } };
      else
        yield {
          ...rest,
          result: resultWithoutSql(result),
          ...(statement && { statement: factsWithoutSql(statement) }),
        };
      return;
    }
    case 'finish':
      yield* heldText(hidden);
      yield { ...event, answer: answerWithoutSql(event.answer, errors) };
      return;
    default:
      yield event;
  }
}

function* heldText(hidden: Hidden): Generator<AgentEvent> {
  const { prose, errors, held } = hidden;
  hidden.held = '';
  yield* textEvents(prose.add(withoutErrors(held, errors)) + prose.end());
}

function* textEvents(text: string): Generator<AgentEvent> {
  if (text !== '') yield { type: 'text', text };
}

/** A table without its statement, as it was asked for and as it ran; all else stays. */
export function tableWithoutSql({ ran, about, ...table }: AnswerTable): AnswerTable {
  const shown = { ...table, sql: '', ...(about && { about: quotingNoSql(about) }) };
  if (ran === undefined) return shown;
  const { shown: _, ...statement } = ran.statement;
  return { ...shown, ran: { ...ran, statement: { ...statement, requested: '', sql: '' } } };
}

/** Facts of plugins quote SQL in properties of this name only. */
const QUOTING = 'sql';

function quotingNoSql<T>(value: T): T {
  if (Array.isArray(value)) return value.map(quotingNoSql) as T;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== QUOTING);
  return Object.fromEntries(kept.map(([name, inner]) => [name, quotingNoSql(inner)])) as T;
}

/** `errors`: what failed calls said, which a text may quote. */
export function answerWithoutSql(answer: Answer, errors: ReadonlySet<string>): Answer {
  return {
    ...answer,
    text: withoutCode(withoutErrors(answer.text, errors)),
    sql: [],
    notes: shownNotes(answer.notes, false),
    data: answer.data.map(tableWithoutSql),
    pendingActions: answer.pendingActions.map((action) => ({ ...action, summary: AWAITS_APPROVAL })),
  };
}

const factsWithoutSql = ({ about, ...facts }: StatementFacts): StatementFacts => ({
  ...facts,
  requested: '',
  executed: '',
  ...(about && { about: quotingNoSql(about) }),
});

/** `quotesSql` is for this decision only, and leaves no server. */
function shownNotes(notes: readonly AnswerNote[], showsSql: boolean): AnswerNote[] {
  return notes.flatMap(({ quotesSql, ...note }) => (quotesSql === true && !showsSql ? [] : [note]));
}

/** A table without its SQL. */
function resultWithoutSql(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('rows' in result && 'columns' in result)) return {};
  const { rows, columns, ...facts } = result;
  return { ...quotingNoSql(facts), columns, rows, sql: '', executedSql: '' };
}

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The parts of a stored message as this reader may see them. */
export function shownParts<P extends { readonly type: string }>(parts: readonly P[], showsSql: boolean): P[] {
  const all = parts as unknown as readonly Part[];
  const errors = new Set(all.map(({ errorText = '' }) => String(errorText)));
  return all.map((part) => shownPart(part, errors, showsSql) as unknown as P);
}

function shownPart(part: Part, errors: Hidden['errors'], showsSql: boolean): Part {
  const { type, data } = part;
  if (type === 'data-outcome') {
    const { notes, ...outcome } = data as Pick<Answer, 'notes'>;
    return { ...part, data: { ...outcome, notes: shownNotes(notes, showsSql) } };
  }
  if (showsSql) return part;
  if (type === 'text') return { ...part, text: withoutCode(withoutErrors(String(part.text), errors)) };
  if (type === 'data-statement') return { ...part, data: factsWithoutSql(data as StatementFacts) };
  if (!type.startsWith('tool-')) return part;
  return {
    ...part,
    input: {},
    ...('output' in part && { output: resultWithoutSql(part.output) }),
    ...('errorText' in part && { errorText: FAILED }),
  };
}
