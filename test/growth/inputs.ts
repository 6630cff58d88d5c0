/** Lists every place where a text of somebody else is read, with the longest text that is accepted there. */
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import Fastify from 'fastify';
import { messageOf, nearest, withoutCredentials } from '../../kernel/index.ts';
import { spelling } from '../../plugins/agent/execute-sql.ts';
import { conversation } from '../../plugins/agent/prompt.ts';
import { toolCall } from '../../plugins/agent/tools.ts';
import { csv } from '../../plugins/audit/csv.ts';
import type { AuditEntry } from '../../plugins/audit/store.ts';
import { bearerToken } from '../../plugins/auth-kit/index.ts';
import { withoutBrokenCache } from '../../plugins/auth-managed/cookie-cache.ts';
import { titleOf } from '../../plugins/conversations/title.ts';
import { decimal, sentence, withoutValues } from '../../plugins/datasource-kit/index.ts';
import { addressReader } from '../../plugins/http/address.ts';
import { addJsonParser, checkBodyEncoding } from '../../plugins/http/body.ts';
import { corsFor } from '../../plugins/http/cors.ts';
import { requestIdOf } from '../../plugins/http/request-id.ts';
import { createOfflineModel } from '../../plugins/model-offline/index.ts';
import { EventLines } from '../../plugins/model-openai/event-lines.ts';
import { turnsOf } from '../../plugins/query-api/messages.ts';
import { ContextWriter } from '../../plugins/semantic-layer/context.ts';
import { parseLayerFile } from '../../plugins/semantic-layer/file.ts';
import { loadSemanticLayer } from '../../plugins/semantic-layer/load.ts';

import { LayerSearch } from '../../plugins/semantic-layer/search.ts';
import { tokenize } from '../../plugins/semantic-query/expression.ts';
import { compileQuery } from '../../plugins/semantic-query/index.ts';
import { allowedTables } from '../../plugins/sql-guard/allowed.ts';
import { checkSql, loadDialect, sqlDialect } from '../../plugins/sql-guard/check.ts';
import { entity } from '../../plugins/sql-guard/fixtures/shop.ts';
import { redactLiterals } from '../../plugins/sql-guard/redact.ts';
import { AllowedTables } from '../../plugins/sql-guard/tables.ts';
import { callerOf } from '../../plugins/telemetry-otel/traceparent.ts';
import { anyText, numbers, type Shape, statements } from './shapes.ts';

export interface TextInput {
  readonly name: string;
  /** Characters of the longest text that gets that far. */
  readonly longest: number;
  readonly shapes: Readonly<Record<string, Shape>>;
  /** Comes with the deployment and is not read for a request: only its growth counts. */
  readonly isOwn?: boolean;
  /** Refuses or rejects as it likes. */
  read(text: string): unknown;
}

const KIB = 1024;
const QUESTION = 64 * KIB;
const BODY = 1024 * KIB;
const HEADER = 16 * KIB;
/** The guard's own limit. */
const STATEMENT = 100_000;

const engines = ['sqlite', 'duckdb', 'mysql', 'postgres'] as const;
const more = Array.from({ length: 60 }, (_, n) => ({ name: `column_${n}` }));
const shop = [
  entity('customers', [{ name: 'id' }, { name: 'name' }, ...more, { name: 'email', mask: "'***'" }]),
  entity('orders', [{ name: 'id' }, { name: 'status' }, ...more, { name: 'total' }, { name: 'note', hidden: true }]),
];
const everyStatement = { ...anyText, ...statements };

async function sqlInputs(): Promise<TextInput[]> {
  const inputs: TextInput[] = [];
  for (const engine of engines) {
    await loadDialect(engine);
    const dialect = sqlDialect(engine);
    const { tables } = allowedTables(shop, dialect);
    const rows = [{ condition: 'id = 7', values: [] }];
    const narrowed = new AllowedTables(
      tables.tables.map((table) => ({ ...table, rows })),
      dialect,
    );
    for (const [name, of] of [
      [`${engine} statement`, tables],
      [`${engine} statement under a policy`, narrowed],
    ] as const) {
      const read = (text: string) => checkSql(text, { dialect: engine, tables: of });
      inputs.push({ name, longest: STATEMENT, shapes: everyStatement, read });
    }
    const read = (text: string) => redactLiterals(text, engine);
    inputs.push({ name: `${engine} statement for the log`, longest: STATEMENT, shapes: everyStatement, read });
  }
  return inputs;
}

async function questionInputs(): Promise<TextInput[]> {
  const model = await loadSemanticLayer(join(import.meta.dirname, '..', '..', 'semantic'));
  const offline = createOfflineModel({ model, dialectOf: () => 'sqlite', now: () => new Date('2026-01-15T12:00:00Z') });
  const tools = [{ type: 'function' as const, name: 'executeSQL', inputSchema: {} }];
  const ask = (texts: readonly string[]) =>
    offline.doGenerate({ prompt: [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }], tools });
  const search = new LayerSearch();
  const context = new ContextWriter(search);
  await context.write(model, 'orders', 2_000);
  const filters = (text: string) => [{ dimension: 'orders.status', operator: 'in' as const, values: text.split(' ') }];
  return [
    { name: 'question without a model', longest: QUESTION, shapes: anyText, read: (text) => ask([text]) },
    {
      name: 'longest question that is read without a model',
      longest: 2_000,
      shapes: anyText,
      read: (text) => ask([text]),
    },
    {
      name: 'conversation without a model',
      longest: 16 * KIB,
      shapes: anyText,
      read: (text) => ask([(text.match(/[\s\S]{1,30}/g) ?? []).join('\n\n')]),
    },
    {
      name: 'question for the semantic layer',
      longest: QUESTION,
      shapes: anyText,
      read: (text) => context.write(model, text, 2_000),
    },
    { name: 'title of a conversation', longest: QUESTION, shapes: anyText, read: titleOf },
    {
      name: 'messages of a chat',
      longest: BODY,
      shapes: anyText,
      read: (text) => {
        const parts = text.match(/[\s\S]{1,64}/g) ?? [];
        const messages = parts.map((part) => ({
          id: '1',
          role: 'user' as const,
          parts: [{ type: 'text', text: part }],
        }));
        return conversation(turnsOf(messages), 16 * KIB);
      },
    },
    {
      name: 'values of a query plan',
      longest: QUESTION,
      shapes: anyText,
      read: (text) =>
        compileQuery(model, { measures: ['orders.count'], filters: filters(text) } as never, { dialect: 'sqlite' }),
    },
    {
      name: 'arguments of a tool',
      longest: QUESTION,
      shapes: anyText,
      read: (text) => toolCall({ toolCallId: text, toolName: text, input: text }, new Set()),
    },
    {
      name: 'misspelt name',
      longest: STATEMENT,
      shapes: anyText,
      read: (text) => nearest(text, ['orders', 'customers']),
    },
  ];
}

function layerInputs(): TextInput[] {
  const found = (kind: 'entity' | 'metrics' | 'glossary' | 'catalog') => ({
    path: `${kind}.yml`,
    kind,
    source: 'default',
  });
  const quoted = (text: string) => JSON.stringify(text);
  return [
    {
      name: 'SQL of the semantic layer',
      longest: 20_000,
      shapes: everyStatement,
      read: (text) => engines.map((engine) => attempt(() => tokenize(text, engine, 'orders.total'))),
    },
    {
      name: 'description of an entity',
      longest: 64 * KIB,
      isOwn: true,
      shapes: anyText,
      read: (text) => parseLayerFile(found('entity'), `table: orders\ndescription: ${quoted(text)}\n`),
    },
    {
      name: 'text of a semantic file',
      longest: 64 * KIB,
      isOwn: true,
      shapes: anyText,
      read: (text) => parseLayerFile(found('glossary'), text),
    },
  ];
}

function textInputs(): TextInput[] {
  const addressOf = addressReader(['10.0.0.0/8']);
  const cors = corsFor([]);
  const request = (headers: Record<string, string>) =>
    ({ headers, socket: { remoteAddress: '10.0.0.1' } }) as unknown as IncomingMessage;
  const header = (name: string, read: TextInput['read']) => ({ name, longest: HEADER, shapes: anyText, read });
  const entryOf = (sql: string) => ({ sql, tables: [sql] }) as unknown as AuditEntry;
  return [
    {
      name: 'number of a database',
      longest: 131_072,
      shapes: numbers,
      read: decimal,
    },
    {
      name: 'message of a database',
      longest: STATEMENT,
      shapes: everyStatement,
      read: (text) => sentence(withoutValues(text)),
    },
    {
      name: 'events of a model provider',
      longest: 256 * KIB,
      shapes: anyText,
      read: (text) => {
        const lines = new EventLines();
        for (const piece of text.match(/[\s\S]{1,100}/g) ?? []) lines.read(piece);
        return lines.end();
      },
    },
    { name: 'statement of a model', longest: STATEMENT, shapes: everyStatement, read: spelling },
    { name: 'text with credentials', longest: STATEMENT, shapes: everyStatement, read: withoutCredentials },
    {
      name: 'error with credentials',
      longest: STATEMENT,
      shapes: anyText,
      read: (text) => withoutCredentials(messageOf(new Error(`password ${text} secret="${text}`))),
    },
    header('forwarded address', (text) => addressOf(request({ 'x-forwarded-for': text }))),
    header('requested CORS headers', (text) => cors('OPTIONS', { 'access-control-request-headers': text })),
    header('bearer token', (text) => bearerToken({ authorization: `Bearer ${text}` })),
    header('request id', requestIdOf),
    header('trace headers', (text) => callerOf(`00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`, text)),
    header('cookie', withoutBrokenCache),
    header('content type', (text) => checkBodyEncoding({ method: 'POST', headers: { 'content-type': text } } as never)),
    {
      name: 'export of the audit',
      longest: STATEMENT,
      shapes: anyText,
      read: async (text) => {
        async function* batches() {
          yield [entryOf(text)];
        }
        for await (const _ of await csv(batches())) {
          // Reading is what takes the time.
        }
      },
    },
  ];
}

async function bodyInputs(): Promise<TextInput[]> {
  const app = Fastify();
  addJsonParser(app, () => false);
  app.post('/', (_, reply) => reply.send());
  await app.ready();
  const post = (payload: string) =>
    app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json' }, payload });
  return [
    { name: 'JSON body', longest: BODY, shapes: anyText, read: post },
    { name: 'text in a JSON body', longest: BODY, shapes: inJson(anyText), read: post },
  ];
}

/** Each text as a JSON object that is no longer. */
function inJson(shapes: TextInput['shapes']): TextInput['shapes'] {
  const wrapped = Object.entries(shapes).map(([name, make]): [string, Shape] => [
    name,
    (length) => `${JSON.stringify({ text: make(length) }).slice(0, length - 2)}"}`,
  ]);
  return Object.fromEntries(wrapped);
}

function attempt(read: () => unknown): void {
  try {
    read();
  } catch {
    // A refusal is an answer.
  }
}

export async function allInputs(): Promise<TextInput[]> {
  return [
    ...(await sqlInputs()),
    ...(await questionInputs()),
    ...layerInputs(),
    ...textInputs(),
    ...(await bodyInputs()),
  ];
}
