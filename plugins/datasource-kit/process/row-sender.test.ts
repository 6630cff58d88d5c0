import { expect, it } from 'vitest';
import type { ProcessMessage, WireResult } from './protocol.ts';
import { RowSender } from './row-sender.ts';

const limits = { maxRows: 2_000, maxBytes: 2 ** 24, maxCellBytes: 65_536 };

/** Adds the rows as an engine does; a message counts as written when the next turn of the event loop begins. */
async function send(rows: readonly (readonly string[])[]) {
  const messages: ProcessMessage[] = [];
  let waiting = 0;
  let mostWaiting = 0;
  const sender = new RowSender(limits, (message, written) => {
    messages.push(message);
    waiting += 1;
    mostWaiting = Math.max(mostWaiting, waiting);
    setImmediate(() => {
      waiting -= 1;
      written();
    });
  });
  sender.begin(['a', 'a']);
  for (const row of rows) {
    expect(sender.add(row)).toBe(true);
    if (sender.isSending) await sender.sent();
  }
  return { parts: messages as readonly Extract<ProcessMessage, { kind: 'rows' }>[], rest: sender.rest(), mostWaiting };
}

it('a small result is sent with the reply', async () => {
  const rows = [['x'], ['y']];
  const { parts, rest } = await send(rows);
  expect(parts).toEqual([]);
  expect(rest).toEqual({
    columns: ['a', 'a_2'],
    rows,
    truncated: false,
    notes: [],
    isOutOfRoom: false,
  } satisfies WireResult);
});

it('a large one is sent while it is read, in parts that are read quickly, with every row once', async () => {
  const rows = Array.from({ length: 1_000 }, (_, at) => [String(at).padEnd(8_000)]);
  const { parts, rest, mostWaiting } = await send(rows);
  expect([...parts.flatMap((part) => part.rows), ...rest.rows]).toEqual(rows);
  for (const part of [...parts, rest]) expect(JSON.stringify(part).length).toBeLessThan(300_000);
  expect(mostWaiting).toBe(1);
});
