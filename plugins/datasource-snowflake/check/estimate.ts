/** Works out how many rows a statement would read: of each table those in the partitions that its conditions leave. */

import type { Ask } from '../catalog/describe.ts';
import { snowflake } from '../dialect.ts';
import type { ObjectName, Scan } from './plan.ts';
import { keyOf } from './verify.ts';

const { quoteName, text } = snowflake.rendering;

/** `undefined` where the size of a table is not known, such as of a secure view or a table of files. */
export async function estimatedRows(scans: readonly Scan[], ask: Ask): Promise<number | undefined> {
  const names = new Map(
    scans.flatMap(({ objects }) => objects.map((name): [string, ObjectName] => [keyOf(name), name])),
  );
  const sizes = await sizesOf([...names.values()], ask);
  let rows = 0;
  for (const { objects, partitionsTotal, partitionsAssigned } of scans) {
    for (const name of objects) {
      const size = sizes.get(keyOf(name));
      const share = partitionsTotal === 0 ? 0 : partitionsAssigned / partitionsTotal;
      if (size === undefined || !(share >= 0 && share <= 1)) return undefined;
      rows += size * share;
    }
  }
  return Math.ceil(rows);
}

async function sizesOf(names: readonly ObjectName[], ask: Ask): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const [database, own] of Map.groupBy(names, ([first = '']) => first)) {
    const places = own.map(([, schema = '', name = '']) => `(${text(schema)}, ${text(name)})`);
    const rows = await ask(
      `SELECT TABLE_SCHEMA, TABLE_NAME, ROW_COUNT FROM ${quoteName(database)}.INFORMATION_SCHEMA.TABLES WHERE (TABLE_SCHEMA, TABLE_NAME) IN (${places.join(', ')})`,
    );
    for (const { TABLE_SCHEMA: schema, TABLE_NAME: name, ROW_COUNT: count } of rows) {
      if (count !== null) sizes.set(keyOf([database, String(schema), String(name)]), Number(count));
    }
  }
  return sizes;
}
