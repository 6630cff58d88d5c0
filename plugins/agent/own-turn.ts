/** Spreads long work over turns of the event loop, one piece in each, so that what comes at once holds up nobody else. */

const waiting: (() => void)[] = [];

/** Resolves in a turn in which nobody else does; first come, first served. */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(pass);
  });
}

function pass(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(pass);
}
