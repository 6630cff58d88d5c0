import { expect, it } from 'vitest';
import { columnsOf } from '../../../chart-kit/index.ts';
import { FIRST_VIEW, queryOf, stateOf, type ViewState } from './view-state.ts';

const names = ['revenue', '-minus', 'a,b', 'c:d', '%41', '__proto__', '&x=1#'];
const rest = { rowCount: 0, truncated: false, sql: '', executedSql: '', connectionId: '', durationMs: 0 };
const columns = columnsOf({ columns: names, rows: [], ...rest });

it('writes a short query and leaves the rest of it', () => {
  const state: ViewState = {
    view: 'chart',
    sorting: [{ id: 'c0', desc: true }],
    filters: [{ id: 'c0', value: '>10' }],
  };
  expect(queryOf(state, columns, '?tab=1&view=sql&sort=x')).toBe(
    '?tab=1&view=chart&sort=-revenue&filter=revenue%3A%3E10',
  );
  expect(queryOf(FIRST_VIEW, columns, '?view=chart&filter=a:b')).toBe('');
});

it('reads back what it wrote, for any name', () => {
  const state: ViewState = {
    view: 'sql',
    sorting: columns.map(({ id }, at) => ({ id, desc: at % 2 === 0 })),
    filters: columns.map(({ id, name }) => ({ id, value: `${name}:,%` })),
  };
  expect(stateOf(queryOf(state, columns, ''), columns)).toEqual(state);
});

it('has each column once, and no endless filter', () => {
  const query = '?sort=revenue,-revenue&filter=revenue:1&filter=revenue:2';
  expect(stateOf(query, columns)).toMatchObject({
    sorting: [{ id: 'c0', desc: false }],
    filters: [{ id: 'c0', value: '1' }],
  });
  expect(stateOf(`?filter=revenue:${'x'.repeat(500)}`, columns).filters).toEqual([
    { id: 'c0', value: 'x'.repeat(200) },
  ]);
});

it.each(['?view=pie&sort=gone,-%25E0%25A4&filter=none&filter=gone:1&filter=:', '', '?sort=&filter='])(
  'leaves out what names nothing here: %s',
  (query) => {
    expect(stateOf(query, columns)).toEqual(FIRST_VIEW);
  },
);
