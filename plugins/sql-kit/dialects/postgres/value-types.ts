/** Says, of PostgreSQL's types, which values compare without failing. */
import type { ValueType, ValueTypes } from '../infallible.ts';

const TYPES: ReadonlyMap<string, ValueType> = new Map([
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

const CASTS: ReadonlyMap<string, ValueType> = new Map([
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

export const postgresValueTypes: ValueTypes = {
  /**
   * `undefined` for arrays, composite types, domains, enumerations, types without an order, and texts with a declared
   * collation, which compare with no other and may not match patterns.
   */
  ofColumn: (declared) => TYPES.get(declared.replace(/\([\d, -]+\)/, '')),
  casts: CASTS,
};
