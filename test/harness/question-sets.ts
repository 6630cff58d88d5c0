/** Reads sets of questions with their gold statements and the layers that they are asked of. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { DEMOS, type DemoName } from '../../plugins/demo-data/index.ts';
import { readCases } from '../../plugins/eval/index.ts';
import { loadSemanticLayer, type SemanticModel } from '../../plugins/semantic-layer/index.ts';
import { DEFAULT_LIMITS, kitDialect, parseStatement } from '../../plugins/sql-kit/index.ts';
import { generateLayer, writeLayer } from './generate-layer.ts';

const sqlite = await kitDialect('sqlite');

/** What a gold statement reads. */
export interface Gold {
  /** Names of entities. */
  readonly tables: readonly string[];
  /** `entity.dimension`, where only one of the tables has a column of that name. */
  readonly columns: readonly string[];
  /** Texts that it compares with. */
  readonly values: readonly string[];
}

export interface AskedQuestion {
  readonly question: string;
  readonly gold: Gold;
}

export interface QuestionSet extends Disposable {
  readonly name: string;
  readonly layerDir: string;
  readonly model: SemanticModel;
  readonly questions: readonly AskedQuestion[];
}

/** A date, a time, a number, a pattern, a piece of a format: nothing that a layer could list as a value of a column. */
const NO_VALUE = /^(?:[\d\s:.+-]*|-?Q[1-4]?|now|.*%.*)$/;

function nodesIn(node: unknown, visit: (node: Readonly<Record<string, unknown>>) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Readonly<Record<string, unknown>>);
  for (const child of Object.values(node)) nodesIn(child, visit);
}

/** `undefined` where the statement cannot be read, or reads no entity. */
export function goldOf(sql: string, model: SemanticModel): Gold | undefined {
  const byTable = new Map(model.entities.map((entity) => [entity.table.toLowerCase(), entity]));
  const [tables, names, values] = [new Set<string>(), new Set<string>(), new Set<string>()];
  try {
    nodesIn(parseStatement(sql.replace(/;\s*$/, ''), sqlite, DEFAULT_LIMITS), (node) => {
      if (node.kind === 'table') tables.add(String(node.name).toLowerCase());
      if (node.kind === 'name') names.add(String(node.name).toLowerCase());
      if (node.kind === 'string' && !NO_VALUE.test(String(node.value))) values.add(String(node.value));
    });
  } catch {
    return undefined;
  }
  const entities = [...tables].flatMap((table) => byTable.get(table) ?? []);
  if (entities.length === 0) return undefined;
  const columns = [...names].flatMap((name) => {
    const owners = entities.filter(({ dimensions }) => dimensions.some((one) => one.name.toLowerCase() === name));
    return owners.length === 1 ? [`${owners[0]!.name}.${name}`] : [];
  });
  return { tables: entities.map(({ name }) => name), columns, values: [...values] };
}

interface SetInit {
  readonly name: string;
  /** Writes the layer. */
  write(dir: string): void;
  readonly cases: readonly { readonly question: string; readonly sql: string }[];
}

/** The layer in a temporary folder. */
async function questionSet({ name, write, cases }: SetInit): Promise<QuestionSet> {
  const layerDir = mkdtempSync(join(tmpdir(), 'atlas-retrieval-'));
  write(layerDir);
  const model = await loadSemanticLayer(layerDir);
  const questions = cases.flatMap(({ question, sql }) => {
    const gold = goldOf(sql, model);
    return gold === undefined ? [] : [{ question, gold }];
  });
  const remove = () => rmSync(layerDir, { recursive: true, force: true });
  return { name, layerDir, model, questions, [Symbol.dispose]: remove };
}

/** The evaluation's questions over a demo. `entities`: generated ones are added to the layer until it has so many. */
export function demoSet(demo: DemoName, entities?: number): Promise<QuestionSet> {
  const cases = readCases(join(import.meta.dirname, '..', '..'))
    .filter(({ schema, sql, clarify }) => schema === demo && sql.length > 0 && !clarify)
    .map(({ question, sql }) => ({ question, sql: sql[0] ?? '' }));
  const own = DEMOS[demo].tables.length;
  return questionSet({
    name: entities === undefined ? demo : `${demo} among ${entities.toLocaleString('en-US')} tables`,
    write(dir) {
      if (entities !== undefined) writeLayer(dir, generateLayer(entities - own, 0));
      cpSync(DEMOS[demo].layer, dir, { recursive: true });
    },
    cases,
  });
}

/** A database in `tables.json` of Spider and BIRD. Columns and tables are named by their positions. */
interface PublishedSchema {
  readonly db_id: string;
  readonly table_names: readonly string[];
  readonly table_names_original: readonly string[];
  readonly column_names: readonly (readonly [number, string])[];
  readonly column_names_original: readonly (readonly [number, string])[];
  readonly column_types: readonly string[];
  readonly primary_keys: readonly (number | readonly number[])[];
  readonly foreign_keys: readonly (readonly [number, number])[];
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ number: 'number', integer: 'number', real: 'number' },
  ...{ time: 'timestamp', date: 'date', datetime: 'timestamp', boolean: 'boolean' },
};

/** The files of a layer that knows no more than the schema. */
function entitiesOf(schema: PublishedSchema): object[] {
  const keys = new Set(schema.primary_keys.flat());
  const [columns, tables] = [schema.column_names_original, schema.table_names_original];
  return tables.map((table, at) => ({
    table,
    ...(schema.table_names[at] !== undefined && { description: schema.table_names[at] }),
    dimensions: columns.flatMap(([of, name], column) =>
      of !== at
        ? []
        : {
            name,
            type: TYPES[schema.column_types[column] ?? ''] ?? 'string',
            description: schema.column_names[column]?.[1],
            ...(keys.has(column) && { primary_key: true }),
          },
    ),
    joins: schema.foreign_keys.flatMap(([from, to]) => {
      const target = tables[columns[to]?.[0] ?? -1];
      const [fromName, toName] = [columns[from]?.[1], columns[to]?.[1]];
      return columns[from]?.[0] !== at || target === undefined
        ? []
        : { name: `${target}_${fromName}`, target, relationship: 'many_to_one', on: { from: fromName, to: toName } };
    }),
  }));
}

/** The databases of a folder with `dev.json` and `tables.json` in the layout of Spider and BIRD. */
export async function* publishedSets(folder: string): AsyncGenerator<QuestionSet> {
  const read = <T>(file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T[];
  const cases = read<{ db_id: string; question: string; query?: string; SQL?: string }>('dev.json');
  for (const schema of read<PublishedSchema>('tables.json')) {
    const own = cases.filter(({ db_id }) => db_id === schema.db_id);
    if (own.length === 0) continue;
    yield await questionSet({
      name: schema.db_id,
      write(dir) {
        mkdirSync(join(dir, 'entities'));
        for (const [at, entity] of entitiesOf(schema).entries()) {
          writeFileSync(join(dir, 'entities', `${at}.yml`), stringify(entity));
        }
      },
      cases: own.map(({ question, query, SQL }) => ({ question, sql: query ?? SQL ?? '' })),
    });
  }
}
