/** Tells failures of the network, for the engines that are asked over HTTP. */

/** A server that is gone, that never was there, or that has closed what idled. */
export const isSocketError = (error: unknown): boolean =>
  error instanceof Error &&
  (/^E[A-Z]+$|^ERR_(?:SOCKET|STREAM)|^Z_/.test(String((error as NodeJS.ErrnoException).code)) ||
    /^(?:aborted|socket hang up)$/.test(error.message));

/** Rejects with the signal's reason once it aborts, whatever becomes of the promise. */
export async function whileNotAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    promise.catch(() => {});
  }
}
