/** Finds the addresses of names, a few names at a time. */
import { lookup } from 'node:dns/promises';
import { failed } from './errors.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (name: string) => Promise<readonly Address[]>;

/** Node looks names up in its four threads for blocking work: slow ones must not take them all. */
const MOST_AT_ONCE = 3;
const MOST_WAITING = 1_000;

export const resolveName: Resolve = (name) => lookup(name, { all: true });

/** The same, at most three at a time; rejects when a thousand wait. */
export function fewAtOnce(resolve: Resolve): Resolve {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (name) => {
    if (running < MOST_AT_ONCE) running += 1;
    else if (waiting.length >= MOST_WAITING) throw failed(`Too many names wait to be resolved, ${name} among them.`);
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await resolve(name);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
