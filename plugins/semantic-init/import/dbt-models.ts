/** Reads the models of a dbt manifest: tables, columns and tests. */
import type { Measure } from '../../semantic-layer/index.ts';
import {
  type ImportedDimension,
  type ImportedJoin,
  isRecord,
  present,
  type Report,
  recordsOf,
  textOf,
} from './project.ts';

type Json = Readonly<Record<string, unknown>>;

/** An entity while it is put together. */
export interface Draft {
  readonly id: string;
  readonly modelName: string;
  name: string;
  readonly table: string;
  readonly schema: string | undefined;
  description: string | undefined;
  readonly dimensions: Map<string, ImportedDimension>;
  readonly measures: Measure[];
  readonly joins: ImportedJoin[];
  /** The tests of a column. */
  readonly tests: Map<string, Set<string>>;
  /** Keys of the semantic model by name: the SQL that identifies a row, or refers to one of another model. */
  readonly keys: Map<string, { readonly sql: string; readonly isPrimary: boolean }>;
}

const RELATIONS = new Set(['model', 'seed', 'snapshot', 'source']);

export function draftsOf({ nodes, sources }: Json): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const node of [...recordsOf(nodes), ...recordsOf(sources)]) {
    const id = textOf(node.unique_id);
    const name = textOf(node.name);
    const materialized = isRecord(node.config) ? node.config.materialized : undefined;
    if (
      id === undefined ||
      name === undefined ||
      !RELATIONS.has(String(node.resource_type)) ||
      materialized === 'ephemeral'
    )
      continue;
    const dimensions = new Map<string, ImportedDimension>();
    for (const column of recordsOf(node.columns)) {
      const own = textOf(column.name);
      if (own !== undefined)
        dimensions.set(own.toLowerCase(), present({ name: own, description: textOf(column.description) }));
    }
    const table = textOf(node.alias) ?? textOf(node.identifier) ?? name;
    const description = textOf(node.description);
    drafts.set(id, {
      ...{ id, modelName: name, name: table, table, schema: textOf(node.schema), description, dimensions },
      ...{ measures: [], joins: [], tests: new Map(), keys: new Map() },
    });
  }
  return drafts;
}

/** The name in `ref('orders')`, `source('shop', 'orders')` and `{{ get_where_subquery(ref('orders')) }}`. */
export const referred = (text: unknown) =>
  [...String(text ?? '').matchAll(/'([^']+)'|"([^"]+)"/g)].map(([, a, b]) => a ?? b).at(-1);

/** Prefers models over the sources that they are named after. */
export function findDraft(
  drafts: ReadonlyMap<string, Draft>,
  reference: unknown,
  among: readonly unknown[] = [],
): Draft | undefined {
  const name = referred(reference);
  const known = among.flatMap((id) => drafts.get(String(id)) ?? []);
  return [...known, ...drafts.values()].find(({ modelName }) => modelName === name);
}

export function takeTests({ nodes }: Json, drafts: ReadonlyMap<string, Draft>, report: Report): void {
  for (const node of recordsOf(nodes)) {
    if (node.resource_type !== 'test') continue;
    const label = `test ${textOf(node.name) ?? '?'}`;
    const { name, kwargs } = isRecord(node.test_metadata) ? node.test_metadata : ({} as Json);
    const given = isRecord(kwargs) ? { ...kwargs, ...(isRecord(kwargs.arguments) ? kwargs.arguments : {}) } : {};
    const { nodes: needed } = isRecord(node.depends_on) ? node.depends_on : ({} as Json);
    const among = Array.isArray(needed) ? needed : [];
    const draft =
      drafts.get(String(node.attached_node)) ??
      findDraft(drafts, given.model, among) ??
      drafts.get(String(among.at(-1)));
    const column = textOf(node.column_name) ?? textOf(given.column_name);
    if (draft === undefined || column === undefined) {
      report(label, 'a layer has no tests, only keys, joins and values');
      continue;
    }
    const dimension = draft.dimensions.get(column.toLowerCase()) ?? { name: column };
    if (name === 'unique' || name === 'not_null') {
      const tests = draft.tests.get(column.toLowerCase()) ?? new Set();
      draft.tests.set(column.toLowerCase(), tests.add(name));
    } else if (name === 'accepted_values' && Array.isArray(given.values)) {
      draft.dimensions.set(column.toLowerCase(), { ...dimension, sample_values: given.values.map(String) });
    } else if (name === 'relationships') {
      const target = findDraft(drafts, given.to, among);
      const field = textOf(given.field);
      if (target === undefined || field === undefined)
        report(label, 'the model that it refers to is not in the manifest');
      else draft.joins.push({ target: target.id, relationship: 'many_to_one', on: [{ from: column, to: field }] });
    } else report(label, 'a layer has no tests, only keys, joins and values');
  }
}

/** A column that identifies rows: tested as unique and not null, when there is one such column. */
export function takeKeys(draft: Draft): void {
  const keys = [...draft.tests].filter(([, tests]) => tests.has('unique') && tests.has('not_null'));
  const [key] = keys;
  if (keys.length !== 1 || key === undefined) return;
  const [column] = key;
  draft.dimensions.set(column, { ...(draft.dimensions.get(column) ?? { name: column }), primary_key: true });
}
