/** Cuts the reply of a database process into messages that the server reads in a few milliseconds each. */
import type { ProcessMessage, WireResult } from './protocol.ts';

/** About how much one message holds; a row is never cut. */
const PART_CHARS = 256 * 1024;

type Reply = Extract<ProcessMessage, { kind: 'reply' }>;

/** Its rows come first, in messages of their own, and the last ones with the reply itself. */
export function* partsOf(reply: Reply): Generator<ProcessMessage> {
  const result = reply.value as WireResult | undefined;
  if (!Array.isArray(result?.rows)) {
    yield reply;
    return;
  }
  let rows: WireResult['rows'][number][] = [];
  let chars = 0;
  for (const row of result.rows) {
    rows.push(row);
    for (const cell of row) chars += typeof cell === 'string' ? cell.length : 8;
    if (chars < PART_CHARS) continue;
    yield { kind: 'rows', rows };
    rows = [];
    chars = 0;
  }
  yield { ...reply, value: { ...result, rows } };
}
