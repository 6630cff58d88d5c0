import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import type { WireParam } from '../datasource-kit/index.ts';

/** Binds the values in their order. */
export function bindAll(statement: DuckDBPreparedStatement, params: readonly WireParam[]): void {
  for (const [index, param] of params.entries()) bind(statement, index + 1, param);
}

function bind(statement: DuckDBPreparedStatement, place: number, param: WireParam): void {
  if (param === null) statement.bindNull(place);
  else if (typeof param === 'string') statement.bindVarchar(place, param);
  else if (typeof param === 'boolean') statement.bindBoolean(place, param);
  else if (typeof param === 'number') {
    if (Number.isSafeInteger(param)) statement.bindBigInt(place, BigInt(param));
    else statement.bindDouble(place, param);
  } else if ('integer' in param) statement.bindHugeInt(place, BigInt(param.integer));
  else if ('timestamp' in param) statement.bindVarchar(place, param.timestamp);
  else statement.bindBlob(place, Buffer.from(param.base64, 'base64'));
}
