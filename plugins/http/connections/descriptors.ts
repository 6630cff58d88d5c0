/** Reads how many descriptors the process may have, and derives from it how many connections it can serve. */
import { readFileSync } from 'node:fs';

/** For files, libraries and the pipes of database processes. */
const OTHER_DESCRIPTORS = 64;
/** One for the connection of a client, one for what its question opens: a model call or a database session. */
const DESCRIPTORS_PER_CONNECTION = 2;
/** Each costs memory too, whatever the system allows. */
const MOST_CONNECTIONS = 4_096;

/** Node raises its own limit to the highest one at its start. `undefined` where the system has no such file. */
function descriptorLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** On how many connections requests can run at once within this limit of descriptors. */
export function connectionsWithin(limit: number | undefined = descriptorLimit()): number {
  if (limit === undefined) return MOST_CONNECTIONS;
  const within = Math.floor((limit - OTHER_DESCRIPTORS) / DESCRIPTORS_PER_CONNECTION);
  return Math.min(MOST_CONNECTIONS, Math.max(8, within));
}
