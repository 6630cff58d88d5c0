/** Connects to a host by its addresses, one after the other, and within the time that a connection has. */
import { isIP, type LookupFunction } from 'node:net';
import { AtlasError } from '../../../kernel/index.ts';
import type { Reach } from '../engines.ts';
import { noAnswer } from '../errors.ts';

/** Errors of a socket: another address of the host may answer. */
const isOfSocket = (error: unknown) => /^E[A-Z]+$/.test(String((error as { code?: unknown }).code));

/**
 * Opens at the host's name, or, where `reach` bounds what may be connected to, at the first of its addresses that takes
 * connections. Rejects with the last failure.
 */
export async function openAt<T>(
  reach: Reach | undefined,
  host: string,
  open: (address?: string) => Promise<T>,
): Promise<T> {
  if (reach === undefined) return open();
  const addresses = await reach.addressesOf(host);
  for (const [index, address] of addresses.entries()) {
    try {
      return await open(address);
    } catch (error) {
      if (index === addresses.length - 1 || !isOfSocket(error)) throw error;
    }
  }
  throw Object.assign(new Error('The host has no address.'), { code: 'ENOTFOUND' });
}

/** Connects, and closes what has failed or is not there in time. */
export async function connectWithin<T>(
  timeoutMs: number,
  signal: AbortSignal,
  connect: (signal: AbortSignal) => Promise<T>,
  close: () => void,
): Promise<T> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    return await connect(AbortSignal.any([signal, late]));
  } catch (error) {
    close();
    throw late.aborted && !(error instanceof AtlasError) ? noAnswer(error) : error;
  }
}

/** Connections lead to this address, whatever the name service says of the host by then. */
export const lookupOf =
  (address: string): LookupFunction =>
  (_host, options, done) => {
    const family = isIP(address);
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
