/** Connects to a host by its addresses, one after the other. */
import { isIP, type LookupFunction } from 'node:net';

/** Errors of a socket: another address of the host may answer. */
const isOfSocket = (error: unknown) => /^E[A-Z]+$/.test(String((error as { code?: unknown }).code));

/** Resolves with what the first address that takes connections gives; rejects with the last failure. */
export async function firstOf<T>(addresses: readonly string[], open: (address: string) => Promise<T>): Promise<T> {
  for (const [index, address] of addresses.entries()) {
    try {
      return await open(address);
    } catch (error) {
      if (index === addresses.length - 1 || !isOfSocket(error)) throw error;
    }
  }
  throw Object.assign(new Error('The host has no address.'), { code: 'ENOTFOUND' });
}

/** Connections lead to this address, whatever the name service says of the host by then. */
export const lookupOf =
  (address: string): LookupFunction =>
  (_host, options, done) => {
    const family = isIP(address);
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
