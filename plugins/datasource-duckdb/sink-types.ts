/** What values of DuckDB's types are when they are handed on. */
import { DuckDBDecimalType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { SinkType } from '../datasource-kit/index.ts';

const { TIMESTAMP_S, TIMESTAMP_MS, ...T } = DuckDBTypeId;
const PLAIN: Readonly<Partial<Record<DuckDBTypeId, SinkType>>> = {
  [T.BOOLEAN]: 'boolean',
  [T.TINYINT]: 'integer',
  [T.SMALLINT]: 'integer',
  [T.INTEGER]: 'integer',
  [T.BIGINT]: 'integer',
  [T.UTINYINT]: 'integer',
  [T.USMALLINT]: 'integer',
  [T.UINTEGER]: 'integer',
  [T.UBIGINT]: { precision: 20, scale: 0 },
  // Sums of integers have this type; a few of its values have one digit more than a decimal.
  [T.HUGEINT]: 'decimal',
  [T.UHUGEINT]: 'decimal',
  [T.FLOAT]: 'double',
  [T.DOUBLE]: 'double',
  [T.DATE]: 'date',
  [T.TIMESTAMP]: 'timestamp',
  [TIMESTAMP_S]: 'timestamp',
  [TIMESTAMP_MS]: 'timestamp',
  [T.TIMESTAMP_TZ]: 'timestamptz',
  [T.BLOB]: 'binary',
  [T.LIST]: 'json',
  [T.ARRAY]: 'json',
  [T.STRUCT]: 'json',
  [T.MAP]: 'json',
};

export function sinkType(type: DuckDBType): SinkType {
  if (type instanceof DuckDBDecimalType) return { precision: type.width, scale: type.scale };
  if (type.alias === 'JSON') return 'json';
  return PLAIN[type.typeId] ?? (type.typeId === T.UNION || type.typeId === T.VARIANT ? 'any' : 'text');
}
