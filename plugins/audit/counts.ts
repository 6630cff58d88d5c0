/**
 * Counts entries of an organization without looking at each: by sums of each hour that triggers keep, and only the hours
 * in which a period begins and ends entry by entry.
 */
import type { Knex } from 'knex';
import type { AuditFilter } from './filter.ts';

const HOUR_MS = 3_600_000;
/** Later years have another form as texts; there are no entries of them. */
const END_OF_TIME = Date.UTC(9_999, 0);

/** The hour as the sums have it. */
const hourOf = (ms: number) => new Date(ms).toISOString().slice(0, 13);

interface Period {
  /** Whole hours; `undefined`: without a bound. */
  readonly first: number | undefined;
  readonly end: number | undefined;
}

/** The whole hours of a period. */
function wholeHours(from: string | undefined, to: string | undefined): Period {
  const toMs = to === undefined ? undefined : Date.parse(to);
  return {
    first: from === undefined ? undefined : Math.ceil(Date.parse(from) / HOUR_MS) * HOUR_MS,
    end: toMs === undefined || toMs >= END_OF_TIME ? undefined : Math.floor((toMs + 1) / HOUR_MS) * HOUR_MS,
  };
}

/** `matching`: the entries of a filter, as a new builder. Those of a user, and those that are looked for, are counted by it alone. */
export async function countEntries(
  db: Knex,
  table: string,
  filter: AuditFilter,
  matching: (filter: AuditFilter) => Knex.QueryBuilder,
): Promise<number> {
  const { orgId, user, success, connection, surface, id, text, from, to } = filter;
  const { first, end } = wholeHours(from, to);
  const isNarrow = first !== undefined && end !== undefined && end <= first;
  if (isNarrow || user !== undefined || id !== undefined || text !== undefined) {
    const [counted] = await matching(filter).count({ total: '*' });
    return Number(counted?.total ?? 0);
  }
  const whole = db(table).where('org_id', orgId ?? '');
  if (success !== undefined) whole.where({ success });
  if (connection !== undefined) whole.where('connection_id', connection);
  if (surface !== undefined) whole.where({ surface });
  if (first !== undefined) whole.where('hour', '>=', hourOf(first));
  if (end !== undefined) whole.where('hour', '<', hourOf(end));
  const part = (bounds: Pick<AuditFilter, 'from' | 'to'>) =>
    matching({ orgId, success, connection, surface, ...bounds }).count({ total: '*' });
  // In one statement, which sees one state of the database.
  const row: Record<string, unknown> = await db.first({
    whole: whole.sum({ total: 'total' }),
    ...(first !== undefined && { head: part({ from, to: new Date(first - 1).toISOString() }) }),
    ...(end !== undefined && { tail: part({ from: new Date(end).toISOString(), to }) }),
  });
  return Object.values(row).reduce<number>((sum, value) => sum + Number(value ?? 0), 0);
}
