/** Finds the type of a dimension from a column's declared type and its values. */
import type { TableColumn } from '../../kernel/index.ts';
import type { DimensionType } from '../semantic-layer/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { plainName } from './names.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Whether a value is a date or timestamp as ISO 8601 writes it. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && (DATE.test(value) || TIMESTAMP.test(value));

const NUMBER =
  /^(unsigned )?(u?(tiny|small|medium|big|huge)? ?int(eger)?\d*|(small|big)?serial\d?|(big)?(numeric|decimal)|dec|fixed|number|real|double( precision)?|float(ing point)?\d*|(small)?money|currency|year)( unsigned)?( zerofill)?$/;

/** Names of numbers that may be 0 or 1 without saying yes or no. */
const COUNTED = /(^|_)(count|number|num|no|nr|qty|quantity|level|rank|score|rating|version|position|\w*[^s]s)$/;

const NAMED: readonly (readonly [RegExp, DimensionType])[] = [
  [/\]$/, 'string'],
  [/^bool(ean)?$|^(tinyint|bit)\(1\)/, 'boolean'],
  [/^(jsonb?|struct|map|union)\b/, 'json'],
  [/^(timestamp|(small)?datetime)/, 'timestamp'],
  [/^date(32)?$/, 'date'],
];

/** Whether an integer is a flag: it is called so, or both values are seen and it is called like no number. */
function isFlag(name: string, values: readonly unknown[]): boolean {
  if (!values.every((value) => value === 0 || value === 1)) return false;
  return /^(is|has|was|can|did|includes?)_/.test(name) || (new Set(values).size === 2 && !COUNTED.test(name));
}

/** `values`: those sampled, without nulls. */
export function typeOf({ name, type }: TableColumn, values: readonly unknown[], dialect: SqlDialect): DimensionType {
  const declared = type.toLowerCase().replace(/ collate .*$/, '');
  const all = (test: (value: unknown) => boolean) => values.length > 0 && values.every(test);
  // Without a date type dates are stored as text, or as numbers that date functions cannot read.
  if (dialect.hasDynamicTypes === true && !/^(bool|json)/.test(declared)) {
    if (all((value) => typeof value === 'string' && TIMESTAMP.test(value))) return 'timestamp';
    if (all((value) => typeof value === 'string' && DATE.test(value))) return 'date';
    if (all((value) => typeof value === 'number'))
      return /int/.test(declared) && isFlag(plainName(name), values) ? 'boolean' : 'number';
  }
  const named = NAMED.find(([pattern]) => pattern.test(declared));
  if (named !== undefined) return named[1];
  return NUMBER.test(
    declared
      .replace(/\([^)]*\)/, '')
      .replace(/\s+/g, ' ')
      .trim(),
  )
    ? 'number'
    : 'string';
}
