/** How long every text that is accepted takes to read, and whether that grows faster than the text. */
import { blockingTime, maxBlockingMs } from '../growth/blocking.ts';
import { allInputs } from '../growth/inputs.ts';
import type { TextInput } from '../growth/text-input.ts';
import type { Row } from './measure.ts';

/** What takes less has not grown. */
const NOISE_MS = 8;
/** How many times as long a text of four times the length may take. Noise is in it: in quadratic time it is 16. */
const MAX_GROWTH = 10;
const ATTEMPTS = 6;
/** Attempts with the shorter texts, which only have to be told from one that is much quicker. */
const PART_ATTEMPTS = 2;

/** The shortest of several times, since everything else on the machine only adds to them. */
async function shortest(input: TextInput, text: string, attempts: number, enoughMs = 0): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && best > enoughMs; attempt += 1) {
    best = Math.min(best, await blockingTime(() => input.read(text)));
  }
  return best;
}

/** The worst of the shapes of an input: the longest stretch, and by how much it grows with the text. */
async function worstOf(input: TextInput): Promise<Row[]> {
  let [longestMs, growth] = [0, 1];
  for (const make of Object.values(input.shapes)) {
    const whole = await shortest(input, make(input.longest), ATTEMPTS, NOISE_MS);
    longestMs = Math.max(longestMs, whole);
    if (whole <= NOISE_MS) continue;
    const quarter = await shortest(input, make(input.longest / 4), PART_ATTEMPTS);
    const sixteenth = await shortest(input, make(input.longest / 16), PART_ATTEMPTS);
    // One of the two may be off; both are where the work grows faster than the text.
    growth = Math.max(growth, Math.min(whole / quarter, Math.sqrt(whole / sixteenth)));
  }
  return [
    { what: `${input.name}: longest stretch`, value: longestMs, unit: 'ms', target: Math.round(maxBlockingMs()) },
    { what: `${input.name}: time for four times the text`, value: growth, unit: '×', target: MAX_GROWTH },
  ];
}

export async function growth(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const input of await allInputs()) rows.push(...(await worstOf(input)));
  return rows;
}
