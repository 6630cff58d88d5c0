/** Reads the plan of `EXPLAIN USING JSON`: the tables that a statement reads, and how much of each. */
import { objectIn } from '../../datasource-kit/index.ts';

/** The name of an object in its parts: database, schema, name. */
export type ObjectName = readonly string[];

export interface Scan {
  readonly objects: readonly ObjectName[];
  readonly partitionsTotal: number;
  readonly partitionsAssigned: number;
}

/** Steps that change something. */
const WRITES = /^(?:insert|update|delete|merge|create|copy|unload|multiinsert|truncate|alter|drop)/i;

/** Each step of the plan that reads an object. `undefined` for what is no plan, or for one that writes. */
export function scansIn(answer: unknown): readonly Scan[] | undefined {
  const { Operations: steps } = objectIn(String(answer)) ?? {};
  if (!Array.isArray(steps) || steps.length === 0) return undefined;
  const scans: Scan[] = [];
  for (const step of steps) {
    if (!Array.isArray(step)) return undefined;
    for (const one of step) {
      const { operation, objects, partitionsTotal, partitionsAssigned } = (one ?? {}) as Readonly<
        Record<string, unknown>
      >;
      if (typeof operation !== 'string' || WRITES.test(operation)) return undefined;
      if (objects === undefined || objects === null) {
        // Such as that of files.
        if (/scan$/i.test(operation)) return undefined;
        continue;
      }
      if (!Array.isArray(objects)) return undefined;
      const names = objects.map(nameOf);
      if (!names.every((name) => name !== undefined)) return undefined;
      scans.push({
        objects: names,
        partitionsTotal: Number(partitionsTotal),
        partitionsAssigned: Number(partitionsAssigned),
      });
    }
  }
  return scans;
}

const THREE_NAMES = /^(?:(?:"(?:[^"]|"")+"|[^".]+)(?:\.(?!$)|$)){3}$/;
const ONE_NAME = /"((?:[^"]|"")+)"|([^".]+)/g;

/** `LAKE.MAIN."Order Items"` in its parts; `undefined` for what is no such name. */
export function nameOf(written: unknown): ObjectName | undefined {
  if (typeof written !== 'string' || !THREE_NAMES.test(written)) return undefined;
  return Array.from(written.matchAll(ONE_NAME), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  );
}
