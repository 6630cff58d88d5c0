import { describe, expect, it } from 'vitest';
import {
  AtlasError,
  createApp,
  datasourceExecute,
  datasourceList,
  definePlugin,
  type SqlOutcome,
  sqlAfter,
  sqlBefore,
  sqlCheck,
  sqlSettled,
} from '../../kernel/index.ts';
import { hideText, redactError } from '../../kernel/redaction.ts';

const SECRET = 'hunter2';
const redact = (text: string) => text.replaceAll(SECRET, '***');

/** What an observer hears of a statement that a database rejects. */
async function heard(sql: string, options: { redact?: typeof redact }): Promise<SqlOutcome> {
  const outcomes: SqlOutcome[] = [];
  const database = definePlugin({
    name: 'database',
    version: '1.0.0',
    type: 'datasource',
    description: 'Rejects every statement and repeats it.',
    setup(ctx) {
      ctx.tap(datasourceList, () => [{ id: 'main', dbType: 'sqlite' as const, maskedUrl: 'sqlite:x' }]);
      ctx.tap(sqlBefore, (statement) => ({ ...statement, sql: `${statement.sql} LIMIT 1` }));
      ctx.tap(sqlCheck, () => {}, { seals: true });
      ctx.tapKey(datasourceExecute, 'main', ({ sql: text }) => {
        throw new AtlasError(`Rejected: ${text}`, { code: 'sql_failed' });
      });
      ctx.tap(sqlAfter, () => {});
      ctx.tap(sqlSettled, (outcome) => void outcomes.push(outcome));
    },
  });
  await using app = await createApp({ plugins: [database()] }, options);
  // The caller, who wrote the statement, is told the whole of it.
  await expect(app.runSql({ sql, surface: 'test' }, app.scope())).rejects.toThrow(sql);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('Nothing was heard.');
  return outcome;
}

describe('what observers of statements hear', () => {
  const sql = `SELECT '${SECRET}' FROM users WHERE id = 7`;

  it('has no secret of the rules that the host has', async () => {
    const { request, statement, error } = await heard(sql, { redact });
    expect(request.sql).toBe("SELECT '***' FROM users WHERE id = 7");
    expect(statement).toMatchObject({ requested: request.sql, sql: `${request.sql} LIMIT 1` });
    expect(error?.message).toBe(`Rejected: ${request.sql} LIMIT 1`);
  });

  it('is hidden where the host has no rules', async () => {
    const { request, statement, error } = await heard(sql, {});
    expect([request.sql, statement?.sql, error?.message]).toEqual(['[hidden]', '[hidden]', '[hidden]']);
  });
});

it('without rules, a text is hidden as a whole', () => {
  expect(["PASSWORD 'hunter2", 'salary > 100000', '$$hunter2$$', ''].map(hideText)).toEqual([
    '[hidden]',
    '[hidden]',
    '[hidden]',
    '',
  ]);
});

describe('an error', () => {
  it('without a secret stays the same', () => {
    const error = new AtlasError('No such table.', { hint: 'Look again.' });
    expect(redactError(error, redact)).toBe(error);
  });

  it('loses a cause that holds one, and keeps its code', () => {
    const cause = new Error('postgres://bob:hunter2@db refused');
    const error = redactError(new AtlasError('No connection.', { code: 'datasource_unavailable', cause }), redact);
    expect([error.cause, (error as AtlasError).code, error.message]).toEqual([
      undefined,
      'datasource_unavailable',
      'No connection.',
    ]);
  });
});
