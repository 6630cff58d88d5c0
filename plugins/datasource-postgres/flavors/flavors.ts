/** Lists the engines that speak PostgreSQL's protocol, and finds the one of a connection. */
import { alloydb } from './alloydb.ts';
import { citus } from './citus.ts';
import { cockroachdb } from './cockroachdb.ts';
import type { Flavor } from './flavor.ts';
import { materialize } from './materialize.ts';
import { postgresql } from './postgresql.ts';
import { redshift } from './redshift.ts';
import { timescaledb } from './timescaledb.ts';
import { yugabytedb } from './yugabytedb.ts';

export const FLAVORS: readonly Flavor[] = [
  postgresql,
  alloydb,
  citus,
  cockroachdb,
  materialize,
  redshift,
  timescaledb,
  yugabytedb,
];

export const flavorNamed = (name: string | null | undefined): Flavor | undefined =>
  FLAVORS.find((flavor) => flavor.name === name);

/** The flavor that a server says it is. */
export const flavorOfServer = (parameters: ReadonlyMap<string, string>): Flavor | undefined =>
  FLAVORS.find(({ announces }) => announces?.(parameters));
