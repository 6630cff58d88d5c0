/** Every kind of error of a query, and what a person is told of it. */
import { describe, expect, it } from 'vitest';
import { N, pagesOf, using } from './fixtures/asking.ts';
import { startCoordinator } from './fixtures/coordinator.ts';

const faults: [errorName: string, text: string, code: string, message: string][] = [
  [
    'SYNTAX_ERROR',
    `line 1:8: mismatched input 'FORM'. Expecting: 'FROM', 'hunter2'`,
    'sql_failed',
    'wrong near "FORM".',
  ],
  ['SYNTAX_ERROR', `line 1:8: mismatched input ''hunter2''. Expecting: <EOF>`, 'sql_failed', 'is wrong.'],
  [
    'TABLE_NOT_FOUND',
    `line 1:15: Table 'lake.shop.t' does not exist`,
    'sql_failed',
    "Table 'lake.shop.t' does not exist.",
  ],
  ['COLUMN_NOT_FOUND', `line 1:8: Column 'm' cannot be resolved`, 'sql_failed', "Column 'm' cannot be resolved."],
  ['FUNCTION_NOT_FOUND', `line 1:8: Function 'f' not registered`, 'sql_failed', "Function 'f' not registered."],
  ['TYPE_MISMATCH', `line 1:30: Cannot apply operator: date >= varchar(7)`, 'sql_failed', 'Cannot apply operator.'],
  ['TYPE_MISMATCH', `line 1:30: 'hunter2' must be a boolean`, 'sql_failed', 'type mismatch.'],
  [
    'EXPRESSION_NOT_AGGREGATE',
    `line 1:8: '"concat"(a, 'hunter2')' must be an aggregate expression`,
    'sql_failed',
    'expression not aggregate.',
  ],
  ['INVALID_CAST_ARGUMENT', `Cannot cast 'hunter2' to INT`, 'sql_failed', 'Trino: invalid cast argument.'],
  ['INVALID_FUNCTION_ARGUMENT', 'hunter2 is not a valid date', 'sql_failed', 'Trino: invalid function argument.'],
  ['DIVISION_BY_ZERO', 'Division by zero', 'sql_failed', 'Trino: division by zero.'],
  ['NUMERIC_VALUE_OUT_OF_RANGE', 'hunter2 out of range', 'sql_failed', 'numeric value out of range.'],
  ['SUBQUERY_MULTIPLE_ROWS', 'Scalar sub-query has returned multiple rows', 'sql_failed', 'subquery multiple rows.'],
  ['PERMISSION_DENIED', 'Access Denied: Cannot select from table hunter2', 'sql_failed', 'no right'],
  ['EXCEEDED_TIME_LIMIT', 'Query exceeded the maximum run time limit of 1.00m', 'sql_timeout', 'did not finish'],
  ['EXCEEDED_CPU_LIMIT', 'Exceeded CPU limit of 1h', 'sql_timeout', 'did not finish'],
  ['EXCEEDED_LOCAL_MEMORY_LIMIT', 'Query exceeded per-node memory limit of 1GB [hunter2]', 'sql_failed', 'more memory'],
  ['EXCEEDED_SCAN_LIMIT', 'Exceeded scan limit of 1TB', 'sql_failed', 'limits of the cluster'],
  ['QUERY_QUEUE_FULL', 'Too many queued queries for "hunter2"', 'overloaded', 'no connection left'],
  ['ADMINISTRATIVELY_KILLED', 'Query killed. Message: hunter2', 'datasource_unavailable', 'ended it'],
  ['NO_NODES_AVAILABLE', 'No nodes available to run query', 'datasource_unavailable', 'not ready'],
  ['SERVER_STARTING_UP', 'Trino server is still initializing', 'datasource_unavailable', 'not ready'],
  ['GENERIC_INTERNAL_ERROR', 'hunter2', 'sql_failed', 'Trino: generic internal error.'],
  ['JDBC_ERROR', 'ERROR: relation "hunter2" does not exist', 'sql_failed', 'Trino: jdbc error.'],
  ['hunter2', 'hunter2', 'sql_failed', 'Trino: unknown.'],
];

describe('an error of a query', () => {
  it.each(faults)('%s: %s', async (errorName, text, code, message) => {
    const error = { errorName, errorType: 'USER_ERROR', message: text };
    for (const pages of [[{ error }], [{ columns: N, data: [[1]] }, { error }]]) {
      await using server = await startCoordinator({ answer: pagesOf(() => pages) });
      const outcome = await using({ url: server.url }, ({ run }) => run());
      expect(outcome).toMatchObject({ code, message: expect.stringContaining(message) });
      expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1/);
      expect(server.asked.some(({ method }) => method === 'DELETE')).toBe(false);
    }
  });
});
