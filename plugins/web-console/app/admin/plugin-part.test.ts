import { expect, it } from 'vitest';
import { lineOf, lossesOf } from './plugin-part.ts';

const hook = (id: string, gate: boolean, ...taps: { plugin: string; key?: string }[]) => ({
  ...{ id, gate, taps },
  kind: 'first',
  summary: `Does ${id}.`,
});

it('names the line of a plugin as its export is called', () => {
  expect(['mcp', 'sql-guard', 'auth-api-key', 'model-2-go'].map(lineOf)).toEqual([
    'mcp(),',
    'sqlGuard(),',
    'authApiKey(),',
    'model2Go(),',
  ]);
});

it('tells of each hook whether somebody is left, whether the server starts, and who answered for what', () => {
  const hooks = [
    hook('sql.check', true, { plugin: 'guard' }),
    hook('http.routes', false, { plugin: 'guard' }, { plugin: 'guard' }, { plugin: 'other' }),
    hook('sql.note', false, { plugin: 'guard' }),
    hook('deliver', false, { plugin: 'guard', key: 'email' }, { plugin: 'other', key: 'slack' }),
    hook('elsewhere', true, { plugin: 'other' }),
  ];
  expect(lossesOf('guard', hooks)).toEqual([
    'sql.check: no plugin is left, and nothing starts without one. Does sql.check.',
    'http.routes: its part goes away, 1 other plugin stays. Does http.routes.',
    'sql.note: no plugin is left. Does sql.note.',
    'deliver: nobody answers for email. Does deliver.',
  ]);
  expect(lossesOf('nobody', hooks)).toEqual([]);
});
