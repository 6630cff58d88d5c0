/** Objects to aggregates over repeated rows, in words for the model. */
import type { QueryObjection } from '../agent/index.ts';
import type { QueryReading } from '../semantic-layer/index.ts';
import type { Call } from '../sql-kit/index.ts';
import { truncate } from '../text-kit/index.ts';
import type { FanOut } from './fan-out.ts';
import type { RowSource } from './row-set.ts';

const MAX_OBJECTIONS = 3;
const MAX_CALL_CHARS = 80;
const VERBS = { adds: 'adds', counts: 'counts', weighs: 'takes' };
/** A statement without these has no join or no aggregate. */
const JOIN = /\bjoin\b|\bfrom\b[\s\S]*,/i;
const AGGREGATE =
  /\b(?:\w*sum|total|count|\w*avg|mean|median|mode|std\w*|var\w*|quantile\w*|percentile\w*|corr|covar\w*)\s*\(/i;

/** One for each table whose rows are repeated. */
export async function fanOutObjections({ sql, tables, select }: QueryReading): Promise<QueryObjection[]> {
  const statement = JOIN.test(sql) && AGGREGATE.test(sql) ? select() : undefined;
  if (statement === undefined) return [];
  const { fanOutsOf } = await import('./fan-out.ts');
  const byTable = new Map<string, FanOut>();
  for (const found of fanOutsOf(statement, tables)) {
    const table = `${found.counted.table} ${found.multiplier.table}`.toLowerCase();
    if (!byTable.has(table)) byTable.set(table, found);
  }
  return [...byTable.values()].slice(0, MAX_OBJECTIONS).map((found) => objectionTo(found, sql));
}

function objectionTo(
  { call, effect, counted, multiplier, countsKey, onlyFilters }: FanOut,
  sql: string,
): QueryObjection {
  const isSelfJoin = counted.table.toLowerCase() === multiplier.table.toLowerCase();
  const shown = ({ table, alias }: RowSource) => (isSelfJoin ? `${table} ${alias}` : table);
  const text = textOf(call, sql);
  const forms = [
    countsKey && `write ${text.replace('(', '(DISTINCT ')}`,
    onlyFilters && `write EXISTS (SELECT 1 FROM ${multiplier.table} …) instead of the join`,
    `aggregate ${shown(multiplier)} in a subquery with one row for each row of ${shown(counted)} before joining it`,
    !onlyFilters && `take a column of ${shown(multiplier)} instead`,
  ].filter((form) => form !== false);
  const message = `${text} ${VERBS[effect]} each row of ${shown(counted)} once for every row of ${shown(multiplier)} that it is joined to.`;
  return {
    message,
    hint: `To take each row once, ${forms.join(', or ')}. Run the query again only if the rows are meant to repeat.`,
    note: { code: 'rows_repeated', message, quotesSql: true },
  };
}

/** The call as it is written. */
function textOf({ name, at }: Call, sql: string): string {
  let depth = 0;
  let isText = false;
  for (let place = at; place < sql.length; place += 1) {
    const character = sql[place];
    if (character === "'") isText = !isText;
    if (isText) continue;
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth !== 0 || character !== ')') continue;
    return truncate(sql.slice(at, place + 1).replace(/\s+/g, ' '), MAX_CALL_CHARS);
  }
  return `${name.toUpperCase()}(…)`;
}
