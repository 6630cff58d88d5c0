/**
 * Declares the structured content of the tools. What is said beside the rows of a result is left open: clients may give
 * schemas to their model, and those of the HTTP interface are ten times as long.
 */
import { Type } from '../../kernel/index.ts';
import { DataTable, QueryResult } from '../query-api/index.ts';

const open = (description: string) => Type.Optional(Type.Object({}, { description }));

const { sql, executedSql, ...ofTable } = DataTable.properties;

const table = {
  ...ofTable,
  rowCount: Type.Integer({ description: 'Number of all rows; `rows` may be fewer, then `truncated` is true.' }),
  executedSql: Type.Optional(executedSql),
  provenance: open('Where the rows come from.'),
  formats: open('How the numbers of columns are written.'),
  chart: open('The chart that shows the rows well.'),
  explanation: open('Why there are no rows.'),
};

/** Of `query_sql`. */
export const TableOutput = Type.Object(table);

/** Of `ask`: the answer as `POST /api/v1/query` gives it. */
export const AnswerOutput = Type.Object({
  ...QueryResult.properties,
  data: Type.Array(Type.Object({ ...table, sql: Type.Optional(sql) }), {
    description: 'One table for each statement.',
  }),
});
