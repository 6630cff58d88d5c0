/** Every kind of error of a statement, and what a person is told of it. */
import { describe, expect, it } from 'vitest';
import { answerOf, Failed, startAccount } from './fixtures/account.ts';
import { answering, N, SQL, using } from './fixtures/asking.ts';

const compiled = (text: string) => `SQL compilation error:\n${text}`;

const faults: [code: string, sqlState: string, text: string, told: string, message: string][] = [
  [
    '001003',
    '42000',
    compiled(`syntax error line 1 at position 7 unexpected 'FORM'.`),
    'sql_failed',
    'wrong near "FORM".',
  ],
  [
    '001003',
    '42000',
    compiled(`syntax error line 1 at position 7 unexpected ''hunter2''.`),
    'sql_failed',
    'cannot be compiled (error 001003).',
  ],
  [
    '002003',
    '42S02',
    compiled(`Object 'LAKE.SHOP.T' does not exist or not authorized.`),
    'sql_failed',
    'LAKE.SHOP.T does not exist, or the role may not see it.',
  ],
  [
    '002003',
    '02000',
    compiled(`Schema 'LAKE.HR' does not exist or not authorized.`),
    'sql_failed',
    'LAKE.HR does not exist',
  ],
  [
    '000904',
    '42000',
    compiled(`error line 1 at position 7\ninvalid identifier 'M'`),
    'sql_failed',
    'there is no column M.',
  ],
  ['000904', '42000', compiled(`invalid identifier '"it''s hunter2"'`), 'sql_failed', 'cannot be compiled'],
  ['001006', '42601', compiled(`ambiguous column name 'ID'`), 'sql_failed', 'ID could be that of several tables.'],
  ['002140', '42601', compiled('Unknown function F'), 'sql_failed', 'there is no function F.'],
  [
    '000979',
    '42601',
    compiled(`[CONCAT(A, 'hunter2')] is not a valid group by expression`),
    'sql_failed',
    '(error 000979)',
  ],
  [
    '100038',
    '22018',
    `Numeric value 'hunter2' is not recognized`,
    'sql_failed',
    'a value cannot be converted, or is out of range (error 100038).',
  ],
  // A value that looks like a message of the engine.
  ...[
    `invalid identifier 'hunter2'`,
    `ambiguous column name 'hunter2'`,
    `Object 'hunter2' does not exist`,
    'Unknown function hunter2',
    `syntax error line 1 at position 7 unexpected 'hunter2'`,
    `SQL compilation error:\ninvalid identifier 'hunter2'`,
  ].flatMap((value): typeof faults => [
    ['100038', '22018', `Numeric value '${value} ' is not recognized`, 'sql_failed', '(error 100038).'],
    ['001007', '22023', compiled(`invalid value ['${value} '] for parameter`), 'sql_failed', '(error 001007).'],
  ]),
  ['100035', '22007', `Timestamp 'hunter2' is not recognized`, 'sql_failed', 'a value cannot be converted'],
  ['100051', '22012', 'Division by zero', 'sql_failed', 'a number is divided by zero'],
  ['100090', '42P18', 'Duplicate row detected [hunter2]', 'sql_failed', '(error 100090)'],
  ['003001', '42501', `Insufficient privileges to operate on table 'hunter2'`, 'sql_failed', 'no right'],
  [
    '000630',
    '57014',
    'Statement reached its statement or warehouse timeout of 5 second(s) and was canceled.',
    'sql_timeout',
    'did not finish',
  ],
  ['000604', '57014', 'SQL execution canceled', 'datasource_unavailable', 'ended it'],
  ['000606', '57P03', 'No active warehouse selected in the current session.', 'datasource_unavailable', 'no warehouse'],
  [
    '090073',
    '22000',
    `Warehouse 'hunter2' cannot be resumed because resource monitor has exceeded its quota.`,
    'datasource_unavailable',
    'no warehouse',
  ],
  ['390318', '08001', 'OAuth access token expired. [hunter2]', 'datasource_unavailable', 'does not accept the login'],
  ['000603', 'XX000', 'SQL execution internal error: hunter2', 'sql_failed', 'the statement failed (error 000603).'],
  ['hunter2', 'hunter2', 'hunter2', 'sql_failed', 'Snowflake: the statement failed.'],
];

describe('an error of a statement', () => {
  it.each(faults)('%s %s: %s', async (code, sqlState, text, told, message) => {
    const answer = () => Promise.reject(new Failed({ code, sqlState, message: text }));
    await using server = await startAccount({ answer: answering(answer) });
    const outcome = await using({ url: server.url }, ({ run }) => run());
    expect(outcome).toMatchObject({ code: told, message: expect.stringContaining(message) });
    expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1/);
    expect(server.asked.some(({ url }) => url.includes('cancel'))).toBe(false);
  });

  it('that comes while rows are read is told too', async () => {
    const failure = { code: '100051', sqlState: '22012', message: 'Division by zero: hunter2' };
    const rows = { ...answerOf(N, [['1']], [['2']]), partition: (at: number) => (at === 0 ? [['1']] : fail()) };
    const fail = () => Promise.reject(new Failed(failure));
    await using server = await startAccount({ answer: answering(() => rows) });
    const outcome = await using({ url: server.url }, ({ run }) => run());
    expect(outcome).toEqual({ code: 'sql_failed', message: 'Snowflake: a number is divided by zero (error 100051).' });
    expect(server.statements).toContain(SQL);
  });
});
