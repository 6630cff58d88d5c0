/** Names the kinds of values of which comparisons and conversions are known to succeed; no other kind has a name. */

/**
 * `literal`: a text or NULL that takes the other side's type when the statement is planned; `digits`: a plain number;
 * `moment`: a point in time that is the same for every row.
 */
export type Kind =
  | 'literal'
  | 'digits'
  | 'integer'
  | 'numeric'
  | 'float'
  | 'text'
  | 'boolean'
  | 'uuid'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'moment';

const TYPES: ReadonlyMap<string, Kind> = new Map([
  ['smallint', 'integer'],
  ['integer', 'integer'],
  ['bigint', 'integer'],
  ['real', 'float'],
  ['double precision', 'float'],
  ['numeric', 'numeric'],
  ['text', 'text'],
  ['character varying', 'text'],
  ['character', 'text'],
  ['boolean', 'boolean'],
  ['uuid', 'uuid'],
  ['date', 'date'],
  ['timestamp without time zone', 'timestamp'],
  ['timestamp with time zone', 'timestamptz'],
]);

/**
 * Of a type as PostgreSQL prints it. `undefined` for arrays, composite types, domains, enumerations, types without an
 * order, and texts with a collation of their own, which compare with no other and may not match patterns.
 */
export const kindOfType = (declared: string): Kind | undefined => TYPES.get(declared.replace(/\([\d, -]+\)/, ''));

const NUMBERS: ReadonlySet<Kind> = new Set(['digits', 'integer', 'numeric', 'float']);
const MOMENTS: ReadonlySet<Kind> = new Set(['date', 'timestamp', 'timestamptz', 'moment']);

export const isNumber = (kind: Kind | undefined): boolean => kind !== undefined && NUMBERS.has(kind);

/** Whether no comparison of such values fails. */
export function areComparable(one: Kind | undefined, other: Kind | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return (MOMENTS.has(one) && MOMENTS.has(other)) || commonKind([one, other]) !== undefined;
}

/** The kind to which values of all these convert without failing; a numeric may be too large for a float. */
export function commonKind(kinds: readonly (Kind | undefined)[]): Kind | undefined {
  let common: Kind | undefined = 'literal';
  for (const kind of kinds) {
    if (kind === undefined || common === undefined) return undefined;
    common = joined(common, kind);
  }
  return common;
}

function joined(one: Kind, other: Kind): Kind | undefined {
  if (one === other || other === 'literal') return one;
  if (one === 'literal') return other;
  if (!NUMBERS.has(one) || !NUMBERS.has(other)) return undefined;
  if (one !== 'float' && other !== 'float') return 'numeric';
  // A number of the statement is converted when that is planned.
  return one === 'digits' || other === 'digits' ? 'float' : undefined;
}

/** By the names that casts print. */
export const CASTS: ReadonlyMap<string, Kind> = new Map([
  ['int2', 'integer'],
  ['int4', 'integer'],
  ['int8', 'integer'],
  ['numeric', 'numeric'],
  ['float4', 'float'],
  ['float8', 'float'],
  ['text', 'text'],
  ['varchar', 'text'],
  ['bpchar', 'text'],
  ['bool', 'boolean'],
  ['uuid', 'uuid'],
  ['date', 'date'],
  ['timestamp', 'timestamp'],
  ['timestamptz', 'timestamptz'],
]);
