import { describe, expect, it } from 'vitest';
import type { ConnectionInfo, TableDescription } from '../../kernel/index.ts';
import type { AllowedTable } from '../sql-guard/index.ts';
import { Description, Descriptions } from './description.ts';

const described = (name: string, columns: readonly string[], schema?: string): TableDescription => ({
  ...(schema !== undefined && { schema }),
  name,
  kind: 'table',
  columns: columns.map((column) => ({ name: column, type: `type of ${column}`, nullable: true })),
  primaryKey: columns.slice(0, 1),
  foreignKeys: [],
});

const allowed = (name: string, schema?: string): AllowedTable => ({
  name,
  schema,
  known: new Set(),
  visible: undefined,
  entities: [],
});

describe('a table', () => {
  it.each<[string, readonly TableDescription[], AllowedTable, readonly string[]]>([
    ['of its name', [described('a', ['x']), described('b', ['y'])], allowed('b'), ['y']],
    ['in another case', [described('Orders', ['x'])], allowed('ORDERS'), ['x']],
    ['in the exact case first', [described('Orders', ['x']), described('orders', ['y'])], allowed('orders'), ['y']],
    [
      'not when two differ in case only',
      [described('Orders', ['x']), described('orders', ['y'])],
      allowed('ORDERS'),
      [],
    ],
    ['of its schema', [described('a', ['x'], 'one'), described('a', ['y'], 'two')], allowed('a', 'TWO'), ['y']],
    ['of the default schema', [described('a', ['x'], 'one'), described('a', ['y'], 'public')], allowed('a'), ['y']],
    ['without a schema', [described('a', ['x'], 'one'), described('a', ['y'])], allowed('a'), ['y']],
    ['of the only other schema', [described('a', ['x'], 'main')], allowed('a'), ['x']],
    [
      'not when two other schemas have it',
      [described('a', ['x'], 'one'), described('a', ['y'], 'two')],
      allowed('a'),
      [],
    ],
    ['not of another schema when one is named', [described('a', ['x'], 'one')], allowed('a', 'two'), []],
    ['not when it is missing', [described('a', ['x'])], allowed('c'), []],
  ])('is found %s', (_, tables, table, columns) => {
    const description = new Description(tables);
    expect(description.columns(table, 'Public')).toEqual(columns);
    expect([...description.types(table, 'Public')]).toEqual(columns.map((name) => [name, `type of ${name}`]));
    expect(description.key(table, 'Public')).toEqual(columns.length === 0 ? undefined : columns);
    expect(description.column(table, columns[0] ?? 'x', 'Public')?.name).toBe(columns[0]);
  });

  it.each([
    ['tenant', 'tenant'],
    ['TENANT', 'TENANT'],
    ['Tenant', undefined],
    ['ID', 'Id'],
    ['ten', undefined],
  ])('has for the column %s: %s', (name, column) => {
    const description = new Description([described('a', ['tenant', 'TENANT', 'Id'])]);
    expect(description.column(allowed('a'), name, 'public')?.name).toBe(column);
  });
});

describe('names that a rule writes', () => {
  const description = new Description([
    described('Orders', ['Tenant', 'id'], 'Sales'),
    described('visits', ['id', 'ward']),
    described('notes', ['id'], ''),
  ]);

  it.each([
    ['orders', true],
    ['sales.ORDERS', true],
    ['main.orders', false],
    ['.orders', false],
    ['order', false],
    ['Main.visits', true],
    ['visits', true],
    ['notes', true],
    ['.notes', false],
    ['main.notes', false],
  ])('%s: %s', (written, isThere) => {
    expect(description.has(written)).toBe(isThere);
  });

  it.each([
    ['tenant', undefined, true],
    ['TENANT', ['sales.orders'], true],
    ['tenant', ['visits', 'orders'], true],
    ['tenant', ['visits'], false],
    ['ward', ['orders', 'notes'], false],
    ['nothing', undefined, false],
    ['id', [], false],
  ])('column %s of %j: %s', (column, tables, isThere) => {
    expect(description.hasColumn(column, tables)).toBe(isThere);
  });

  it('are suggested from those there are, each once', () => {
    expect(description.names).toEqual(['Orders', 'visits', 'notes']);
    expect(description.columnNames).toEqual(['Tenant', 'id', 'ward']);
  });
});

describe('descriptions', () => {
  const connection: ConnectionInfo = { id: 'shop', dbType: 'sqlite', maskedUrl: '' };

  /** Descriptions at a settable time, and what was asked and warned of. */
  function descriptions() {
    const asked: unknown[] = [];
    const warnings: string[] = [];
    const state = { now: 1_000, error: undefined as Error | undefined };
    const kept = new Descriptions({
      describe: async ({ id }, schemas) => {
        asked.push([id, ...schemas]);
        if (state.error !== undefined) throw state.error;
        return [described('a', ['x'])];
      },
      now: () => state.now,
      describeEveryMs: 100,
      recheckMs: 10,
      warn: (problem) => warnings.push(problem),
    });
    return { kept, asked, warnings, state };
  }

  it('are read once by callers at the same time, and kept', async () => {
    const { kept, asked } = descriptions();
    const [first, second] = await Promise.all([kept.get(connection), kept.get(connection)]);
    expect(second).toBe(first);
    expect(kept.get(connection)).toBe(first);
    expect(asked).toEqual([['shop']]);
  });

  it('are kept apart by connection and schemas', async () => {
    const { kept, asked } = descriptions();
    await kept.get(connection);
    await kept.get(connection, ['sales']);
    await kept.get(connection, ['sales', 'hr']);
    await kept.get({ ...connection, id: 'shopsales' });
    expect(asked).toEqual([['shop'], ['shop', 'sales'], ['shop', 'sales', 'hr'], ['shopsales']]);
  });

  it('are read again from their age on, while the old one is given', async () => {
    const { kept, asked, state } = descriptions();
    const first = await kept.get(connection);
    state.now += 99;
    expect(kept.get(connection)).toBe(first);
    expect(asked).toHaveLength(1);
    state.now += 1;
    expect(kept.get(connection)).toBe(first);
    expect(asked).toHaveLength(2);
    await expect.poll(() => kept.get(connection)).not.toBe(first);
    expect(asked).toHaveLength(2);
    state.now += 99;
    await kept.get(connection);
    expect(asked).toHaveLength(2);
  });

  it('that lack something are read again sooner, but never later than the others', async () => {
    const { kept, asked, state } = descriptions();
    kept.markIncomplete(await kept.get(connection));
    state.now += 9;
    kept.get(connection);
    expect(asked).toHaveLength(1);
    state.now += 1;
    kept.get(connection);
    expect(asked).toHaveLength(2);
    const seldom = new Descriptions({
      describe: async () => {
        asked.push('seldom');
        return [];
      },
      now: () => state.now,
      describeEveryMs: 10,
      recheckMs: 1_000,
      warn: () => {},
    });
    seldom.markIncomplete(await seldom.get(connection));
    state.now += 10;
    seldom.get(connection);
    expect(asked.slice(2)).toEqual(['seldom', 'seldom']);
  });

  it('fail with a sentence at first, and warn of a later failure while the old one is given', async () => {
    const { kept, asked, warnings, state } = descriptions();
    state.error = new Error('The server is away.');
    await expect(kept.get(connection)).rejects.toMatchObject({
      code: 'datasource_unavailable',
      reason: 'E_ROW_SECURITY_DESCRIPTION',
      message: 'Row security cannot read the columns of connection "shop": The server is away.',
      hint: 'Try again; if it stays, an administrator has to look at the connection.',
      retryAfterSeconds: 5,
      cause: state.error,
    });
    state.error = undefined;
    const first = await kept.get(connection);
    expect(asked).toHaveLength(2);
    state.now += 100;
    state.error = new Error('The server is away.');
    expect(kept.get(connection)).toBe(first);
    await expect
      .poll(() => warnings)
      .toEqual(['Row security cannot read the columns of connection "shop": The server is away.']);
  });
});
