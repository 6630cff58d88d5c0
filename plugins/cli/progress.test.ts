/** Tests what `progress` writes on a terminal, elsewhere, and beside printed data. */
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progress, type ReportProgress } from './progress.ts';

function output(given: { readonly isTTY: boolean; readonly columns?: number }) {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  return { stderr: Object.assign(stream, given), text: () => text };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const ROOM = { isTTY: true, columns: 70 };

/** Reports, then lets a second pass. */
async function work(report: ReportProgress): Promise<string> {
  report(3, 12, 'orders\u001b[2J');
  await vi.advanceTimersByTimeAsync(1_000);
  return 'done';
}

it('redraws one line on a terminal, no wider than it, and clears it at the end', async () => {
  const { stderr, text } = output(ROOM);
  expect(await progress({ stderr, options: {} }, 'Reading tables', work)).toBe('done');
  const lines = text().split('\r\u001b[K');
  expect(lines.length).toBeGreaterThan(8);
  expect(lines[1]).toContain('━━━━━━────────────────── Reading tables: 3 of 12 orders\\u001b');
  for (const line of lines) expect(line.length).toBeLessThan(70);
  expect(lines.at(-1)).toBe('');
  expect(text()).not.toContain('\n');
});

it('clears the line when the work fails', async () => {
  const { stderr, text } = output(ROOM);
  const failing = progress({ stderr, options: {} }, 'Reading', async (report) => {
    report(1);
    throw new Error('gone');
  });
  await expect(failing).rejects.toThrow('gone');
  expect(text().endsWith('Reading: 1 \r\u001b[K')).toBe(true);
});

it.each([
  ['no terminal', { isTTY: false }, {}],
  ['a terminal that cannot redraw', ROOM, { TERM: 'dumb' }],
])('writes a plain line every five seconds on %s, and none for short work', async (_, given, env) => {
  const { stderr, text } = output(given);
  await progress({ stderr, options: {}, env }, 'Reading tables', work);
  expect(text()).toBe('');
  await progress({ stderr, options: {}, env }, 'Reading tables', async (report) => {
    for (let done = 0; done < 12; done += 1) {
      report(done, 12);
      await vi.advanceTimersByTimeAsync(1_000);
    }
  });
  expect(text()).toMatch(/^Reading tables: \d of 12\nReading tables: \d+ of 12\n$/);
});

it.each(['json', 'csv', 'quiet'])('writes nothing with --%s', async (name) => {
  const { stderr, text } = output(ROOM);
  await progress({ stderr, options: { [name]: true } }, 'Reading', work);
  expect(text()).toBe('');
});
