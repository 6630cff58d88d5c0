/** Checks that no text that is accepted takes long to read, nor longer than in proportion to its length. */
import { describe, expect, it } from 'vitest';
import { blockingTime, maxBlockingMs } from './blocking.ts';
import { allInputs } from './inputs.ts';
import type { TextInput } from './text-input.ts';

/** What takes less has not grown. */
const NOISE_MS = 8;
/** How many times as long a text of four times the length may take. Noise is in it: in quadratic time it is 16. */
const MAX_GROWTH = 10;
const ATTEMPTS = 6;
/** Of the shorter texts, which only have to be told from one that is much quicker. */
const PART_ATTEMPTS = 2;

/** The shortest of several times, since everything else on the machine only adds to them. */
async function shortest(input: TextInput, text: string, attempts: number, enoughMs = 0): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && best > enoughMs; attempt += 1) {
    best = Math.min(best, await blockingTime(() => input.read(text)));
  }
  return best;
}

describe.each(await allInputs())('$name', (input) => {
  it.each(Object.entries(input.shapes))('%s', async (_, make) => {
    const whole = await shortest(input, make(input.longest), ATTEMPTS, NOISE_MS);
    if (whole <= NOISE_MS) return;
    expect(whole).toBeLessThan(maxBlockingMs());
    const quarter = await shortest(input, make(input.longest / 4), PART_ATTEMPTS);
    const sixteenth = await shortest(input, make(input.longest / 16), PART_ATTEMPTS);
    // One of the two may be off; both are where the work grows faster than the text.
    const growth = Math.min(whole / quarter, Math.sqrt(whole / sixteenth));
    expect(growth, `${sixteenth} ms, ${quarter} ms and ${whole} ms`).toBeLessThan(MAX_GROWTH);
  });
});
