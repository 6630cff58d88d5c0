/** Runs the tools that MCP clients call: a question, a statement under guard, and two views of the semantic layer. */
import type { TProperties } from '@sinclair/typebox';
import { AtlasError, type Scope, Type } from '../../kernel/index.ts';
import type { Actions } from '../actions/index.ts';
import { type Agent, type Answer, type ShownTable, shownTable } from '../agent/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import { type QueryApi, resultOf, showsSqlBy, tableWithoutSql } from '../query-api/index.ts';
import { originLines, type Provenance } from '../result-kit/index.ts';
import { type SemanticLayerApi, visibleModel } from '../semantic-layer/index.ts';
import { type ChartResource, chartResources } from './chart-resources.ts';
import { AnswerOutput, TableOutput } from './output-schemas.ts';

/** Limit for one result, as JSON: its texts, its charts and its structured content together. */
const MAX_RESULT_BYTES = 512 * 1024;
/** For the envelope of the protocol around the texts of a result. */
const ENVELOPE_BYTES = 8 * 1024;
const MAX_INPUT_CHARS = 100_000;
const SURFACE = 'mcp';

export interface Services {
  readonly agent: Agent;
  readonly layer: SemanticLayerApi;
  /** Given in a composition that has actions. */
  readonly actions?: Actions | undefined;
  /** Given where a composition says who may see SQL. */
  readonly queryApi?: QueryApi | undefined;
}

/** A type alias: the library's type has an index signature. */
export type ToolResult = {
  content: ({ type: 'text'; text: string } | ChartResource)[];
  /** The same as data, for programs. */
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

const text = (description: string) => Type.String({ minLength: 1, maxLength: MAX_INPUT_CHARS, description });
const fresh = Type.Optional(
  Type.Boolean({ description: 'All rows are read from the database now, none from the cache.' }),
);
const input = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

/** The tools by name. `input` is the JSON schema of the arguments, which are checked before `run`. */
export const TOOLS = {
  ask: {
    title: 'Ask a question',
    description:
      'Answers a question about the data in plain language. Returns the answer, the SQL that ran and its rows. An action that it requests waits for a person to approve it.',
    input: input({
      question: text('The question, in plain language.'),
      conversationId: Type.Optional(
        Type.String({ format: 'uuid', description: 'From an earlier answer, to ask a follow-up question.' }),
      ),
      connectionId: Type.Optional(text('Connection to ask. Default: the main one.')),
      fresh,
    }),
    output: AnswerOutput,
    run: ask,
  },
  query_sql: {
    title: 'Run a SQL query',
    description:
      'Runs one read-only SQL statement under the same guard, row security and limits as every question, and returns its rows.',
    input: input({
      sql: text('One SELECT statement in the dialect of the connection.'),
      connectionId: Type.Optional(text('Connection to ask. Default: the main one.')),
      fresh,
    }),
    output: TableOutput,
    run: querySql,
  },
  explore: {
    title: 'Explore the semantic layer',
    description:
      'Shows the semantic layer: "" lists it, a folder such as "entities" lists its files, a file shows its text, "?words" searches.',
    input: input({ path: Type.String({ maxLength: 1_000, description: 'A path, "" or "?words".' }) }),
    run: explore,
  },
  list_metrics: {
    title: 'List the metrics',
    description: 'Lists the metrics that are defined for this data, with their units and the entities they belong to.',
    input: input({}),
    run: listMetrics,
  },
} as const;

/** Of all tools: each has some of them, checked by its `input`. */
export interface Args {
  readonly question?: string;
  readonly sql?: string;
  readonly path?: string;
  readonly conversationId?: string;
  readonly connectionId?: string;
  readonly fresh?: boolean;
}

async function ask(
  { agent, actions }: Services,
  { question = '', fresh: isFresh, ...ids }: Args,
  scope: Scope,
): Promise<ToolResult> {
  if (isFresh === true) freshResults.set(scope, true);
  const asked = { turns: [{ role: 'user' as const, text: question }], surface: SURFACE, ...ids };
  const answer = await agent.answer(asked, scope);
  const isError = answer.outcome === 'failed' || answer.outcome === 'declined';
  const charts = await chartResources(answer.data);
  const hasActions = actions?.available === true;
  const whole = resultOf(answer, hasActions);
  const made = fitted((rows) => {
    const details = detailsOf(answer, rows, hasActions);
    const structured = { ...whole, data: details.data };
    return { texts: [textWithOrigin(answer), JSON.stringify(details)], structured };
  }, charts);
  return { ...made, ...(isError && { isError }) };
}

/** The text, with where the rows come from. */
function textWithOrigin({ text, data }: Answer): string {
  const origins = data.flatMap(({ about }) => (about?.provenance as Provenance | undefined) ?? []);
  const lines = [...new Set(origins.map((origin) => originLines(origin).join('; ')))].filter(Boolean);
  return lines.length === 0 ? text : `${text}\n\n${lines.map((line) => `${line}.`).join('\n')}`;
}

function detailsOf(answer: Answer, rows: number, hasActions: boolean) {
  const { outcome, notes, choices, verified, sql, data, conversationId, pendingActions } = answer;
  return {
    outcome,
    ...(notes.length > 0 && { notes }),
    ...(choices !== undefined && { choices }),
    ...(verified !== undefined && { verified }),
    sql,
    data: data.map((table) => trimmed(shownTable(table), rows)),
    ...((hasActions || pendingActions.length > 0) && { pendingActions }),
    ...(conversationId !== undefined && { conversationId }),
  };
}

async function querySql(
  services: Services,
  { sql = '', fresh: isFresh, ...ids }: Args,
  scope: Scope,
): Promise<ToolResult> {
  if (isFresh === true) freshResults.set(scope, true);
  const ran = await services.agent.runStatement({ sql, surface: SURFACE, ...ids }, scope);
  try {
    const { sql: _, ...table } = shownTable(isSqlHidden(services, scope) ? tableWithoutSql(ran.table) : ran.table);
    const charts = await chartResources([ran.table]);
    return fitted((rows) => {
      const structured = trimmed(table, rows);
      return { texts: [JSON.stringify(structured)], structured };
    }, charts);
  } finally {
    ran.release();
  }
}

async function explore(services: Services, { path = '' }: Args, scope: Scope): Promise<ToolResult> {
  return { content: [{ type: 'text', text: await exploreLayer(services, path, scope) }] };
}

/** What the semantic layer has at the path. Rejects with `forbidden` for whom SQL is hidden. */
export async function exploreLayer(services: Services, path: string, scope: Scope): Promise<string> {
  if (!isSqlHidden(services, scope)) return services.layer.explore(scope, path);
  throw new AtlasError('The semantic layer holds SQL, which your role may not see.', {
    code: 'forbidden',
    hint: 'Call list_metrics for what is defined, or ask a question with ask.',
  });
}

/** Whether the role of the caller is too low to see SQL. */
export function isSqlHidden({ queryApi }: Services, { actor }: Scope): boolean {
  return !showsSqlBy(queryApi)(actor);
}

async function listMetrics({ layer }: Services, _: Args, scope: Scope): Promise<ToolResult> {
  const metrics = visibleModel(await layer.for(scope)).metrics.map(
    ({ id, label, description, entity, unit, objective, synonyms, dimensions }) => ({
      id,
      label,
      description,
      entity,
      unit,
      objective,
      synonyms,
      dimensions,
    }),
  );
  return fitted((most) => ({
    texts: [JSON.stringify({ metrics: metrics.slice(0, most), total: metrics.length })],
  }));
}

type Table = Omit<ShownTable, 'sql'>;

/** `rowCount` stays that of all rows. */
function trimmed<T extends Table>(table: T, rows: number): T {
  return table.rows.length <= rows ? table : { ...table, rows: table.rows.slice(0, rows), truncated: true };
}

interface Made {
  readonly texts: readonly string[];
  readonly structured?: object;
}

/** A result made with as many rows as fit into it, in text and in structured content, beside its charts. */
function fitted(make: (rows: number) => Made, charts: readonly ChartResource[] = []): ToolResult {
  const room = MAX_RESULT_BYTES - ENVELOPE_BYTES;
  for (let rows = 65_536; ; rows = Math.floor(rows / 2)) {
    const { texts, structured } = make(rows);
    const content = [...texts.map((value) => ({ type: 'text' as const, text: value })), ...charts];
    const json = JSON.stringify(structured);
    if (Buffer.byteLength(JSON.stringify(content)) + Buffer.byteLength(json ?? '') <= room)
      return { content, ...(json !== undefined && { structuredContent: JSON.parse(json) }) };
    if (rows > 0) continue;
    throw new AtlasError('The result is too large even without its rows.', {
      code: 'invalid_request',
      hint: 'Ask for less at once.',
    });
  }
}
