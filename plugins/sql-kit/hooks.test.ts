/** Which dialect a connection's `dbType` names. */
import { describe, expect, test } from 'vitest';
import { definePlugin } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { dialectOf, findDialect, kitDialect, kitDialects, type SqlDialect, sqlDialects } from './index.ts';

const sqlite = await kitDialect('sqlite');
const dialects = await kitDialects();

const acorn: SqlDialect = { ...sqlite, name: 'acorn', label: 'Acorn' };

const bringing = (name: string, ...dialects: readonly SqlDialect[]) =>
  definePlugin({
    name,
    version: '1.0.0',
    type: 'datasource',
    description: 'Brings dialects.',
    setup: (ctx) => ctx.tap(sqlDialects, () => dialects),
  })();

describe('a dialect is found by name', () => {
  test.each([...dialects])('%s without a plugin that brings it', async (name, dialect) => {
    await using app = await createTestApp({ plugins: [] });
    expect(await dialectOf(app, name, app.scope())).toBe(dialect);
    expect(await kitDialect(name)).toBe(dialect);
  });

  test('among those that plugins bring, one of which may be brought twice', async () => {
    await using app = await createTestApp({
      plugins: [bringing('datasource-one', acorn), bringing('datasource-two', sqlite, acorn)],
    });
    expect(await dialectOf(app, 'acorn', app.scope())).toBe(acorn);
    expect(await dialectOf(app, 'sqlite', app.scope())).toBe(sqlite);
  });

  test('and refused where no plugin brings it', async () => {
    await using app = await createTestApp({ plugins: [bringing('datasource-one', acorn)] });
    expect(await findDialect(app, 'oracle', app.scope())).toBeUndefined();
    await expect(dialectOf(app, 'oracle', app.scope())).rejects.toMatchObject({
      code: 'configuration_error',
      message: 'No plugin brings the SQL dialect "oracle".',
    });
    await expect(kitDialect('sqllite')).rejects.toThrow(/^There is no SQL dialect "sqllite"; did you mean .sqlite.\?$/);
  });

  test.each([
    ['a dialect of the kit', 'sqlite', [bringing('datasource-one', { ...sqlite })], '"sql-kit" and "datasource-one"'],
    [
      'that of another plugin',
      'acorn',
      [bringing('datasource-one', acorn, acorn), bringing('datasource-two', { ...acorn })],
      '"datasource-one" and "datasource-two"',
    ],
  ])('and refused where another takes the name of %s', async (_, name, plugins, both) => {
    await using app = await createTestApp({ plugins });
    await expect(findDialect(app, name, app.scope())).rejects.toThrow(
      `Both ${both} bring an SQL dialect named "${name}".`,
    );
  });
});
