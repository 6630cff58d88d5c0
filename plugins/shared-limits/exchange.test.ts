import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Availability } from './availability.ts';
import type { CountStore } from './count-store.ts';
import { Exchange } from './exchange.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WINDOW = { limit: 1_000_000, windowMs: 60_000, maxKeys: 1_000 };

it('sends in batches under a load that never ends, of every window', async () => {
  const sent: string[] = [];
  const store: Pick<CountStore, 'exchange'> = {
    async exchange(items) {
      sent.push(...items.map(({ key }) => key));
      // A request comes while the batch is under way.
      if (sent.length < 100) shared.take(`user ${sent.length}`);
      return [];
    },
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const exchange = new Exchange(store as CountStore, new Availability(log, () => {}), 500);
  const shared = exchange.window('users', WINDOW);
  const addresses = exchange.window('addresses', WINDOW);
  shared.take('user');
  addresses.take('address');
  await vi.advanceTimersByTimeAsync(500);
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(500);
  expect(sent).toHaveLength(4);
  exchange.close();
});
