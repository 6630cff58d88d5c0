/** A PIVOT without values on the whole way: its values are read by a statement that is guarded and recorded like any. */
import { expect, test } from 'vitest';
import { openDuckdbShop } from '../fixtures/road/file-shops.ts';
import { openRoad } from '../fixtures/road/road.ts';
import { LEAK } from '../fixtures/road/shop.ts';

test('has columns of the rows that the person sees, and no others', { timeout: 60_000 }, async () => {
  await using shop = await openDuckdbShop();
  await using road = await openRoad({ url: await shop.open('tenants'), layer: shop.layerOfTenants, policy: true });
  const statement = 'PIVOT orders ON status USING count(*) GROUP BY "order" ORDER BY ALL';
  const { data, body, prompt, settled } = await road.ask(statement);
  expect(data[0]?.columns).toEqual(['order', 'cancelled', 'open', 'paid']);
  expect(body + prompt).not.toMatch(LEAK);
  expect(settled.map(({ status, request, rowCount }) => [status, request.sql, rowCount])).toEqual([
    [
      'succeeded',
      'SELECT DISTINCT CAST(status AS VARCHAR) FROM orders WHERE (status) IS NOT NULL ORDER BY 1 LIMIT 1001',
      3,
    ],
    ['succeeded', statement, 3],
  ]);

  const hidden = await road.ask('PIVOT orders ON tenant_id USING count(*)');
  expect(hidden.data).toEqual([]);
  expect(hidden.result).toContain('tenant_id');
  expect(hidden.settled.map(({ status }) => status)).toEqual(['refused', 'refused']);
});
