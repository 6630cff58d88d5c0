import { expect, it } from 'vitest';
import { kitDialect } from '../sql-kit/index.ts';
import { typeOf } from './column-type.ts';

const bigquery = await kitDialect('bigquery');
const clickhouse = await kitDialect('clickhouse');

const CASES = [
  [clickhouse, 'Float64', 'number'],
  [clickhouse, 'UInt8', 'number'],
  [bigquery, 'INT64', 'number'],
  [bigquery, 'FLOAT64', 'number'],
  [bigquery, 'NUMERIC(10, 2)', 'number'],
  [bigquery, 'BIGNUMERIC', 'number'],
  [bigquery, 'BOOL', 'boolean'],
  [bigquery, 'DATE', 'date'],
  [bigquery, 'DATETIME', 'timestamp'],
  [bigquery, 'STRUCT<a INT64>', 'json'],
  [bigquery, 'ARRAY<INT64>', 'string'],
  [bigquery, 'STRING(10)', 'string'],
] as const;

it.each(CASES.map(([dialect, type, dimension]) => ({ name: dialect.name, type, dimension, dialect })))(
  '$name: $type is $dimension',
  ({ type, dimension, dialect }) => {
    expect(typeOf({ name: 'x', type, nullable: true }, [], dialect)).toBe(dimension);
  },
);
