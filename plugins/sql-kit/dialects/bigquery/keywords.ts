/** Lists the words of GoogleSQL: those that its documentation reserves, and others that mean something in a query. */
import type { KeywordUse } from '../../parse/cursor.ts';

const RESERVED = `ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS CUBE
  CURRENT DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL
  GRAPH_TABLE GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT
  LOOKUP MATCH_RECOGNIZE MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE
  RECURSIVE RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN
  WHERE WINDOW WITH WITHIN`;

/** Words that stand for a moment without parentheses. They may be names, which then stand in backticks. */
const MOMENTS = 'CURRENT_DATE CURRENT_DATETIME CURRENT_TIME CURRENT_TIMESTAMP';

/** Names, but no alias without AS: they go on with the statement. */
const CONTINUING = 'PIVOT UNPIVOT REPLACE';

const NAMES = `BIGDECIMAL BIGNUMERIC DATE DATETIME DECIMAL FIRST FORMAT JSON LAST MATERIALIZED NUMERIC OFFSET PERCENT ROW SAFE_CAST
  SETS SYSTEM SYSTEM_TIME TIME TIMESTAMP UNKNOWN VALUE ZONE`;

const words = (text: string, use: KeywordUse): [string, KeywordUse][] =>
  text.split(/\s+/).map((word): [string, KeywordUse] => [word, use]);

export const bigqueryKeywords: ReadonlyMap<string, KeywordUse> = new Map([
  ...words(NAMES, 'name'),
  ...words(CONTINUING, 'join'),
  ...words(RESERVED, 'reserved'),
  ...words(MOMENTS, 'reserved'),
]);
