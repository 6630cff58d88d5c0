/** Settles like `work`, or after `timeoutMs` like what `onTimeout` returns or throws. The work itself goes on. */
export async function withTimeout<T, L>(work: Promise<T>, timeoutMs: number, onTimeout: () => L): Promise<T | L> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, timeoutMs);
  try {
    return await Promise.race([work, late.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
