/** Tells statements whose result depends on when they run, or on chance, from those that may be answered from memory. */
import { type Notation, partAt } from '../sql-kit/index.ts';

/** Names of clocks, chance and new identifiers in all dialects, and of samples. More than needed is no harm. */
const VOLATILE_NAME =
  /^(?:now|now64|nowinblock|rand.*|.*uuid.*|generate.*|(?:get_)?current.*|local_?time.*|utc_?(?:date|time).*|today|yesterday|clock_timestamp|(?:statement|transaction)_timestamp|timeofday|sysdate|systimestamp|getdate|seq\d|curdate|curtime|unix_timestamp|age|.*shuffle|.*sample|objectid)$/;
/** Texts that PostgreSQL and SQLite read as a time, and with which SQLite takes the present time. */
const VOLATILE_TEXT = /^(?:e?['"]|\$\w*\$)\s*(?:now|today|tomorrow|yesterday|subsec|subsecond)\s*(?:['"]|\$\w*\$)$/i;
/** Of SQLite: without a time they take the present one. */
const TIME_NAME = /^(?:date|time|datetime|julianday|unixepoch|strftime)$/;

/** Whether the statement names anything that may bring another value at the next time. */
export function isVolatile(sql: string, notation: Notation): boolean {
  const parts: { readonly kind: string; readonly text: string }[] = [];
  for (let at = 0; at < sql.length; ) {
    const { kind, end } = partAt(sql, at, notation);
    if (kind !== 'space') parts.push({ kind, text: sql.slice(at, end) });
    at = end;
  }
  return parts.some(({ kind, text }, at) => {
    if (kind === 'text') return VOLATILE_TEXT.test(text);
    if (kind !== 'word' && kind !== 'name') return false;
    const name = text.replace(/^["'`[]|["'`\]]$/g, '').toLowerCase();
    if (VOLATILE_NAME.test(name)) return true;
    const [open, first, second] = [1, 2, 3].map((after) => parts[at + after]?.text);
    return TIME_NAME.test(name) && open === '(' && (first === ')' || (name === 'strftime' && second === ')'));
  });
}
