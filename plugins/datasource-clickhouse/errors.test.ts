/** What a server may say that is no answer, and what a person is told of it. */
import { expect, it } from 'vitest';
import { META, using } from './fixtures/asking.ts';
import { oddServer } from './fixtures/odd-server.ts';

const codes: [text: string, code: string, message: string][] = [
  [
    'Code: 159. DB::Exception: Timeout exceeded: elapsed 1 seconds. (TIMEOUT_EXCEEDED) (version 26.7)',
    'sql_timeout',
    'did not finish',
  ],
  [
    'Code: 241. DB::Exception: Memory limit exceeded: would use 4 GiB: while reading hunter2. (MEMORY_LIMIT_EXCEEDED)',
    'sql_failed',
    'more memory',
  ],
  [
    'Code: 396. DB::Exception: Limit for result exceeded, max rows: 1. (TOO_MANY_ROWS_OR_BYTES)',
    'sql_failed',
    'limits of the server',
  ],
  ['Code: 497. DB::Exception: ada: Not enough privileges. (ACCESS_DENIED)', 'sql_failed', 'no right'],
  ['Code: 164. DB::Exception: ada: Cannot execute query in readonly mode. (READONLY)', 'sql_refused', 'reads rows'],
  [
    'Code: 202. DB::Exception: Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES)',
    'overloaded',
    'no connection left',
  ],
  ['Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)', 'datasource_unavailable', 'ended it'],
  [
    'Code: 279. DB::Exception: All connection tries failed. hunter2:9000 (ALL_CONNECTION_TRIES_FAILED)',
    'datasource_unavailable',
    'a server of the cluster',
  ],
  [
    "Code: 6. DB::Exception: Cannot parse string 'hunter2' as Int32. (CANNOT_PARSE_TEXT)",
    'sql_failed',
    'ClickHouse: cannot parse text.',
  ],
  [
    "Code: 60. DB::Exception: Unknown table expression identifier 't' in scope SELECT n FROM t WHERE tenant = 'hunter2'. (UNKNOWN_TABLE)",
    'sql_failed',
    "identifier 't'.",
  ],
  [
    "Code: 47. DB::Exception: Unknown identifier `m`, maybe you meant: ['hunter2']. (UNKNOWN_IDENTIFIER)",
    'sql_failed',
    'Unknown identifier `m`.',
  ],
  [
    "Code: 62. DB::Exception: Syntax error: failed at position 8 (FORM): FORM t WHERE tenant = 'hunter2'. (SYNTAX_ERROR)",
    'sql_failed',
    'near "FORM"',
  ],
  [
    "Code: 36. DB::Exception: Window frame begin must be constant. Actual: _CAST('hunter2', 'String'). (BAD_ARGUMENTS)",
    'sql_failed',
    'ClickHouse: bad arguments.',
  ],
  [
    "Code: 403. DB::Exception: Cannot determine join keys in a JOIN b ON _CAST('hunter2'). (INVALID_JOIN_ON_EXPRESSION)",
    'sql_failed',
    'ClickHouse: invalid join on expression.',
  ],
  [
    'Code: 41. DB::Exception: Unable to parse fragment %Y from hunter2 because of it. (CANNOT_PARSE_DATETIME)',
    'sql_failed',
    'cannot parse datetime',
  ],
  [
    "Code: 43. DB::Exception: Illegal type String of argument of function plus: 'hunter2'. (ILLEGAL_TYPE_OF_ARGUMENT)",
    'sql_failed',
    'Illegal type String of argument of function plus.',
  ],
  ['Code: 9999. DB::Exception: hunter2', 'sql_failed', 'ClickHouse: error 9999.'],
  [
    'Code: 395. DB::Exception: hunter2: while executing. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)',
    'sql_failed',
    'refused a value',
  ],
  [
    'Code: 516. DB::Exception: ada: Authentication failed. (AUTHENTICATION_FAILED)',
    'datasource_unavailable',
    'user and password',
  ],
];

async function expectError(code: string, message: string, answer: Parameters<typeof oddServer>[0]): Promise<void> {
  await using server = await oddServer(answer);
  const outcome = await using({ url: server.url }, (_, run) => run());
  expect(outcome).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1|DB::/);
}

it.each(codes)('tells of "%s", wherever it stands', async (text, code, message) => {
  await expectError(code, message, (response) => {
    response.writeHead(500, { 'x-clickhouse-exception-code': /\d+/.exec(text)?.[0] });
    response.end(text);
  });
  await expectError(code, message, (response) => {
    response.writeHead(500, { 'x-clickhouse-exception-code': /\d+/.exec(text)?.[0] });
    response.end(`${META}{"exception":${JSON.stringify(text)}}\n`);
  });
  const begun = `${META}{"row":[1]}\n`;
  await expectError(code, message, (response) => response.end(`${begun}{"exception":${JSON.stringify(text)}}\n`));
  await expectError(code, message, (response) => response.end(`${begun}__exception__\r\ntag\r\n${text}\n`));
});

it.each<[what: string, code: string, message: string, answer: Parameters<typeof oddServer>[0]]>([
  [
    'ends in the middle',
    'datasource_unavailable',
    'ended it',
    (response) => {
      response.write(`${META}{"row":[1]}\n`);
      setTimeout(() => response.destroy(), 20);
    },
  ],
  ['is another format', 'sql_failed', 'another format', (response) => response.end('1\n2\n')],
  ['is no JSON', 'sql_failed', 'another format', (response) => response.end(`${META}{"row":[1`)],
  ['is empty', 'sql_failed', 'another format', (response) => response.end()],
  [
    'is an error of something else',
    'datasource_unavailable',
    'as ClickHouse does',
    (response) => {
      response.writeHead(502);
      response.end('<h1>hunter2</h1>'.repeat(100_000));
    },
  ],
  [
    'is a row without end',
    'sql_failed',
    'larger than 32 MB',
    (response) => {
      response.write(META);
      response.write('{"row":["');
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, 'x')));
      };
      response.on('drain', more);
      more();
    },
  ],
])('an answer that %s is an error', (_, code, message, answer) => expectError(code, message, answer));

it('follows no redirection', async () => {
  await using other = await oddServer((response) => response.end(META));
  await expectError('datasource_unavailable', 'as ClickHouse does', (response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` });
    response.end();
  });
  expect(other.asked).toEqual([]);
});
