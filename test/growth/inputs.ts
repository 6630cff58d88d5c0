/** Lists every place where text from outside is read, with the longest text that is accepted there. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defaultTextMapGetter, ROOT_CONTEXT } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { nearest } from '../../kernel/index.ts';
import { bearerToken } from '../../plugins/auth-kit/index.ts';
import { csvLines } from '../../plugins/csv-kit/index.ts';
import { decimal, sentence, withoutValues } from '../../plugins/datasource-kit/index.ts';
import { offlineModel } from '../../plugins/model-offline/index.ts';
import { loadSemanticLayer } from '../../plugins/semantic-layer/index.ts';
import { AllowedTables, allowedTables, checkSql } from '../../plugins/sql-guard/index.ts';
import { kitDialect, redactLiterals } from '../../plugins/sql-kit/index.ts';
import { entity } from '../fixtures/sql/sqlite-shop.ts';
import { anyText, numbers, statements } from './shapes.ts';
import { KIB, QUESTION, STATEMENT, type TextInput } from './text-input.ts';

const root = join(import.meta.dirname, '..', '..');
const HEADER = 16 * KIB;

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
    const dialect = await kitDialect(engine);
    await dialect.load?.();
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
      const read = (text: string) => checkSql(text, { tables: of });
      inputs.push({ name, longest: STATEMENT, shapes: everyStatement, read });
    }
    const read = (text: string) => redactLiterals(text, dialect.notation);
    inputs.push({ name: `${engine} statement for the log`, longest: STATEMENT, shapes: everyStatement, read });
  }
  return inputs;
}

async function questionInputs(): Promise<TextInput[]> {
  const model = await loadSemanticLayer(join(root, 'semantic'));
  const { createOfflineModel } = await offlineModel();
  const sqlite = await kitDialect('sqlite');
  const offline = createOfflineModel({ model, dialectOf: () => sqlite, now: () => new Date('2026-01-15T12:00:00Z') });
  const tools = [{ type: 'function' as const, name: 'executeSQL', inputSchema: {} }];
  const ask = (texts: readonly string[]) =>
    offline.doGenerate({ prompt: [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }], tools });
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
      name: 'misspelt name',
      longest: STATEMENT,
      shapes: anyText,
      read: (text) => nearest(text, ['orders', 'customers']),
    },
  ];
}

function textInputs(): TextInput[] {
  const header = (name: string, read: TextInput['read']) => ({ name, longest: HEADER, shapes: anyText, read });
  const trace = new W3CTraceContextPropagator();
  const traceparent = `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`;
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
    header('bearer token', (text) => bearerToken({ authorization: `Bearer ${text}` })),
    header('traceparent', (text) => trace.extract(ROOT_CONTEXT, { traceparent: text }, defaultTextMapGetter)),
    header('tracestate', (tracestate) =>
      trace.extract(ROOT_CONTEXT, { traceparent, tracestate }, defaultTextMapGetter),
    ),
    { name: 'cell of CSV', longest: STATEMENT, shapes: anyText, read: (text) => csvLines([[text]]) },
  ];
}

/** What the plugins list of themselves, each in its own `fixtures/text-inputs.ts`. */
async function pluginInputs(): Promise<TextInput[]> {
  const files = globSync('plugins/*/fixtures/text-inputs.ts', { cwd: root }).sort();
  const listed = await Promise.all(files.map((file) => import(pathToFileURL(join(root, file)).href)));
  return listed.flatMap(({ textInputs }: { textInputs: readonly TextInput[] }) => textInputs);
}

export async function allInputs(): Promise<TextInput[]> {
  return [...(await sqlInputs()), ...(await questionInputs()), ...(await pluginInputs()), ...textInputs()];
}
