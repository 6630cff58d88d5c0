/** Reads the verified queries of a Snowflake semantic model; its tables are read from the database instead. */
import { folded } from '../../language-kit/index.ts';
import { partAt, postgres } from '../../sql-kit/index.ts';
import { columnOf } from './expressions.ts';
import { CannotTake, findings, type ImportedProject, isRecord, present, recordsOf, textOf } from './project.ts';

type Json = Readonly<Record<string, unknown>>;

export const isSnowflakeModel = (value: unknown): value is Json =>
  isRecord(value) && recordsOf(value.tables).some(({ base_table: base }) => isRecord(base));

const lower = (text: unknown) => String(text).toLowerCase();
const MEMBERS = ['dimensions', 'time_dimensions', 'facts', 'measures'] as const;

/** What logical names stand for. */
interface LogicalNames {
  /** Physical tables, by `__name` and, behind FROM and JOIN, by name. */
  readonly tables: ReadonlyMap<string, string>;
  /** Columns, by name; `undefined` where it is an expression, or another column in another table. */
  readonly columns: ReadonlyMap<string, string | undefined>;
}

function namesOf(model: Json): LogicalNames {
  const tables = recordsOf(model.tables);
  const named = tables.map(
    ({ name, base_table: base }) => [lower(name), textOf((base as Json | undefined)?.table)] as const,
  );
  const members = tables.flatMap((table) => MEMBERS.flatMap((list) => recordsOf(table[list])));
  const columns = new Map<string, string | undefined>();
  for (const { name: given, expr = given } of members) {
    const [name, column] = [lower(given), columnOf(String(expr))];
    columns.set(name, columns.has(name) && lower(columns.get(name)) !== lower(column) ? undefined : column);
  }
  return {
    tables: new Map(named.flatMap(([name, table]) => (table === undefined ? [] : [[name, table] as const]))),
    columns,
  };
}

/** The statement over physical tables and columns. Throws `CannotTake` where a name stands for an expression. */
function physicalSql(sql: string, { tables, columns }: LogicalNames): string {
  let written = '';
  let before = '';
  for (let at = 0; at < sql.length; ) {
    const { kind, end } = partAt(sql, at, postgres.notation);
    const text = sql.slice(at, end);
    const name = lower(text);
    const isTable = before === 'from' || before === 'join';
    const table = name.startsWith('__') ? tables.get(name.slice(2)) : isTable ? tables.get(name) : undefined;
    if (kind === 'word' && table !== undefined) written += table;
    else if (kind === 'word' && !isTable && columns.has(name)) {
      const column = columns.get(name);
      if (column === undefined)
        throw new CannotTake(`its column ${text} is an expression of the semantic model, or several columns`);
      written += lower(column) === name ? text : column;
    } else written += text;
    if (kind !== 'space') before = name;
    at = end;
  }
  return written;
}

/** Nobody has vouched for them on this database, so they are taken over as examples. */
export function readSnowflake(model: Json): ImportedProject {
  const { notTaken, report, taken } = findings();
  const called = new Set<string>();
  const names = namesOf(model);
  if (names.tables.size > 0)
    report('tables', 'only the verified queries are taken over; the database describes its tables');
  const verified = recordsOf(model.verified_queries).flatMap((query) => {
    const label = textOf(query.name) ?? textOf(query.question) ?? '?';
    return taken(`verified query ${label}`, () => {
      const [question, sql] = [textOf(query.question), textOf(query.sql)];
      if (question === undefined || sql === undefined) throw new CannotTake('it has no question or no sql');
      const plain = folded(label)
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^[^a-z]+|_+$/g, '')
        .slice(0, 80);
      const name = plain || 'query';
      if (called.has(name)) throw new CannotTake(`another is called ${name} as well`);
      called.add(name);
      const onboarding = query.use_as_onboarding_question === true ? true : undefined;
      return present({ name, question, sql: physicalSql(sql, names), onboarding });
    });
  });
  return { entities: [], metrics: [], verified, notTaken };
}
