/** Types of answers as the API gives them, taken from the schemas of its routes. */
import type { QueryResult } from '../../../query-api/index.ts';

/** Rows of one statement. A stored message keeps only the first of them. */
export type ResultTable = QueryResult['data'][number];
export type Note = QueryResult['notes'][number];
export type Choice = NonNullable<QueryResult['choices']>[number];

export type { StatementFacts } from '../../../agent/index.ts';
