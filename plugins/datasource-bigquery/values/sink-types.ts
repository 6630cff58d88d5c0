/** What values of BigQuery's types are when they are handed on. */
import type { SinkType } from '../../datasource-kit/index.ts';
import { type Field, typeName } from './fields.ts';

const PLAIN: Readonly<Record<string, SinkType>> = {
  BIGNUMERIC: 'decimal',
  BOOL: 'boolean',
  BYTES: 'binary',
  DATE: 'date',
  DATETIME: 'timestamp',
  FLOAT64: 'double',
  INT64: 'integer',
  JSON: 'json',
  // Nine digits of the fraction, whatever the column declares.
  NUMERIC: { precision: 38, scale: 9 },
  STRUCT: 'json',
  TIMESTAMP: 'timestamptz',
};

export const sinkType = (field: Field): SinkType =>
  field.mode === 'REPEATED' ? 'json' : (PLAIN[typeName(field)] ?? 'text');
