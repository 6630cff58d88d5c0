/** Writes the statement of a verified query with its values as literals, which the printer of its dialect writes. */
import { randomUUID } from 'node:crypto';
import { AtlasError } from '../../kernel/index.ts';
import type { ModelVerifiedQuery, SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery, PlanError, type QueryPlan } from '../semantic-query/index.ts';
import { DEFAULT_LIMITS, parseStatement, partAt, printSelect, type SqlDialect } from '../sql-kit/index.ts';
import type { Values } from './parameters.ts';

type Scalar = string | number | null;

/** What can be named: a period is its first day and the day behind its last. */
function scalarsOf(values: Values): Map<string, Scalar> {
  const named = Object.entries(values).flatMap(([name, value]): [string, Scalar][] =>
    typeof value === 'object' && value !== null
      ? [
          [`${name}_from`, value.from],
          [`${name}_to`, value.to],
        ]
      : [[name, value]],
  );
  return new Map(named);
}

/** Throws an `AtlasError` that says what is wrong with the query. */
export async function statementOf(
  query: ModelVerifiedQuery,
  values: Values,
  model: SemanticModel,
  dialect: SqlDialect,
): Promise<string> {
  await dialect.load?.();
  const scalars = scalarsOf(values);
  if (query.sql !== undefined) return boundSql(query.name, query.sql, scalars, dialect);
  try {
    return compileQuery(model, boundPlan(query.plan, query.name, scalars) as QueryPlan, { dialect }).sql;
  } catch (error) {
    throw error instanceof PlanError ? wrong(query.name, error.message, error) : error;
  }
}

const wrong = (name: string, why: string, cause?: unknown) =>
  new AtlasError(`The verified query "${name}" cannot be used: ${why}`, { code: 'invalid_request', cause });

function scalarOf(name: string, query: string, scalars: ReadonlyMap<string, Scalar>): Scalar {
  const value = scalars.get(name);
  if (value === undefined) throw wrong(query, `it has no parameter "${name}".`);
  return value;
}

/** A text that is a parameter and nothing else becomes its value. */
function boundPlan(node: unknown, query: string, scalars: ReadonlyMap<string, Scalar>): unknown {
  if (typeof node === 'string') {
    const [, name] = /^\{(\w+)\}$/.exec(node) ?? [];
    return name === undefined ? node : scalarOf(name, query, scalars);
  }
  if (Array.isArray(node)) return node.map((item) => boundPlan(item, query, scalars));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, boundPlan(item, query, scalars)]));
}

/**
 * The statement is parsed with a literal that nobody can guess in the place of each parameter, and those literals get
 * their values in the tree: no value is ever read as SQL.
 */
function boundSql(query: string, sql: string, scalars: ReadonlyMap<string, Scalar>, dialect: SqlDialect): string {
  const marks = new Map<string, Scalar>();
  const nonce = randomUUID().replaceAll('-', '');
  let marked = '';
  for (let at = 0; at < sql.length; ) {
    const [parameter, name] = /^:([a-z]\w*)/i.exec(sql.slice(at, at + 60)) ?? [];
    if (parameter !== undefined && name !== undefined && sql[at - 1] !== ':') {
      const value = scalarOf(name, query, scalars);
      // Numbers stand where a text must not, such as behind LIMIT.
      const mark = typeof value === 'number' ? String(MARK_NUMBER + marks.size) : `${nonce}${marks.size}`;
      if (sql.includes(mark)) throw wrong(query, `it has the number ${mark}.`);
      marks.set(mark, value);
      marked += typeof value === 'number' ? mark : `'${mark}'`;
      at += parameter.length;
    } else {
      const { end } = partAt(sql, at, dialect.notation);
      marked += sql.slice(at, end);
      at = end;
    }
  }
  if (marks.size === 0) return sql;
  const select = parseStatement(marked.replace(/;\s*$/, ''), dialect, DEFAULT_LIMITS);
  let placed = 0;
  const place = (node: object): void => {
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) place(child);
    const { value } = node as { value?: unknown };
    if (typeof value !== 'string' || !marks.has(value)) return;
    const bound = marks.get(value) as Scalar;
    placed += 1;
    Object.assign(node, bound === null ? { kind: 'constant', value: 'NULL' } : { value: String(bound) });
  };
  place(select);
  if (placed !== marks.size) throw wrong(query, 'a parameter stands where no value can.');
  return printSelect(select, dialect);
}

/** In the range of every engine's integers. */
const MARK_NUMBER = 1_870_430_000;
