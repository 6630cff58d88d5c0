import { describe, expect, it } from 'vitest';
import type { Policy, RowSecurityOptions } from './options.ts';
import { filteredTables, policiesOf } from './policies.ts';

const options = (more: Partial<RowSecurityOptions>): RowSecurityOptions => ({
  exempt: [],
  policies: [],
  unmaskRoles: [],
  describeEveryMs: 0,
  recheckMs: 0,
  ...more,
});

const problemsOf = (more: Partial<RowSecurityOptions>) => {
  try {
    policiesOf(options(more));
  } catch (error) {
    return error;
  }
  return undefined;
};

it('come from the options, the general one first', () => {
  const policy: Policy = { tables: ['orders'], condition: 'region = {claim}', claim: 'region' };
  expect(policiesOf(options({ column: 'tenant', claim: 'org', policies: [policy] }))).toEqual([
    { column: 'tenant', claim: 'org' },
    policy,
  ]);
  expect(policiesOf(options({ policies: [policy] }))).toEqual([policy]);
  expect(policiesOf(options({ policies: [{ tables: ['t'], condition: 'a = 1' }] }))).toHaveLength(1);
  expect(policiesOf(options({ policies: [{ tables: ['t'], column: 'a', claim: 'b' }] }))).toHaveLength(1);
  expect(policiesOf(options({ unmaskRoles: ['admin'] }))).toEqual([]);
});

it.each<[Partial<RowSecurityOptions>, string]>([
  [{}, 'give "column" and "claim", or "policies"'],
  [{ column: 'a' }, 'the options: "claim" is missing'],
  [{ claim: 'a' }, 'the options: "column" is missing'],
  [{ policies: [{}] }, 'policies.0: "column" is missing'],
  [{ policies: [{ column: 'a' }] }, 'policies.0: "claim" is missing'],
  [{ policies: [{ column: 'a', claim: 'b', tables: [] }] }, 'policies.0: "tables" is empty'],
  [{ policies: [{ column: 'a', condition: 'b' }] }, 'policies.0: "column" and "condition" exclude each other'],
  [{ policies: [{ condition: 'a = 1' }] }, 'policies.0: "condition" needs "tables", whose columns it is about'],
  [{ policies: [{ condition: 'a = 1', tables: [] }] }, 'policies.0: "tables" is empty'],
  [
    { policies: [{ condition: 'a = {claim}', tables: ['t'] }] },
    'policies.0: "condition" has {claim}, but "claim" is missing',
  ],
  [
    { policies: [{ condition: 'a = 1', claim: 'b', tables: ['t'] }] },
    'policies.0: "claim" is given, but "condition" has no {claim}',
  ],
  [
    { column: 'a', claim: 'b', policies: [{ column: 'c', claim: 'd' }, { column: 'e' }, { claim: 'f' }] },
    'policies.1: "claim" is missing; policies.2: "column" is missing',
  ],
])('refuses %j', (more, problem) => {
  expect(problemsOf(more)).toMatchObject({
    code: 'configuration_error',
    reason: 'E_ROW_SECURITY_POLICY',
    message: `Row security would not protect what it should: ${problem}.`,
  });
});

describe('filteredTables', () => {
  const filtered = (policies: readonly Policy[], exempt: readonly string[] = []) => {
    const isFiltered = filteredTables(policies, exempt);
    return (table: string, more: object = {}) => isFiltered({ table, columns: [], ...more });
  };

  it('is every table for a policy that names none, and an exempt one only if it has the column', () => {
    const isFiltered = filtered([{ column: 'Tenant_ID', claim: 'tenant' }], ['wards', 'main.floors']);
    expect(isFiltered('visits')).toBe(true);
    expect(isFiltered('Wards')).toBe(false);
    expect(isFiltered('floors', { schema: 'main' })).toBe(false);
    expect(isFiltered('wards', { columns: ['name', 'tenant_id'] })).toBe(true);
  });

  it('is the named tables, whatever the case and whether or not the schema is written', () => {
    const isFiltered = filtered([{ tables: ['sales.Orders', 'notes'], condition: 'is_public' }]);
    expect(isFiltered('orders')).toBe(true);
    expect(isFiltered('orders', { schema: 'sales' })).toBe(true);
    expect(isFiltered('orders', { schema: 'archive' })).toBe(false);
    expect(isFiltered('notes', { schema: 'main' })).toBe(true);
    expect(isFiltered('wards')).toBe(false);
  });

  it('is named with quotes and with a database as well', () => {
    const isFiltered = filtered([{ tables: ['public."Orders"'], condition: 'is_public' }]);
    expect(isFiltered('"orders"')).toBe(true);
    expect(isFiltered('orders', { schema: 'shop.public' })).toBe(true);
    const byColumn = filtered([{ column: 'tenant_id', claim: 'tenant' }], ['orders']);
    expect(byColumn('orders', { columns: ['cast(tenant_id as text)'] })).toBe(true);
    expect(byColumn('orders', { columns: ['subtenant_id'] })).toBe(false);
  });

  it('is none of another connection; the default one may be any', () => {
    const isFiltered = filtered([{ connection: 'lake', column: 'tenant', claim: 'tenant' }]);
    expect(isFiltered('visits', { connection: 'shop' })).toBe(false);
    expect(isFiltered('visits', { connection: 'lake' })).toBe(true);
    expect(isFiltered('visits')).toBe(true);
  });
});
