import { expect, it } from 'vitest';
import { bigquery } from './bigquery/dialect.ts';
import { duckdb } from './duckdb/dialect.ts';
import { mysql } from './mysql/dialect.ts';
import { postgres } from './postgres/dialect.ts';
import { snowflake } from './snowflake/dialect.ts';
import { sqlite } from './sqlite/dialect.ts';
import { trino } from './trino/dialect.ts';

const CONNECTIONS = [{ schema: 'sales', maskedUrl: 'engine:sales.db' }, { maskedUrl: '' }];

it.each([postgres, mysql, duckdb, sqlite, trino, bigquery, snowflake])(
  'what derives from $name keeps its restrictions on a connection',
  (base) => {
    const functions = new Set(['count']);
    const derived = { ...base, name: 'mine', functions };
    for (const connection of CONNECTIONS) {
      expect(derived.forConnection?.(connection) ?? derived).toMatchObject({ name: 'mine', functions });
    }
  },
);
