/** Lists the words that ClickHouse's grammar knows, by what they may be besides. */
import type { KeywordUse } from '../../parse/cursor.ts';

/** Never a name here without quotes, although the engine takes some of them for names. */
const RESERVED = `AND AS BETWEEN BY CASE DISTINCT DIV ELSE END EXCEPT EXISTS FROM GROUP HAVING IN INTERSECT IS LIMIT NOT
  NULL OR ORDER SELECT THEN UNION WHEN WHERE`;

/** Never an alias without AS: they go on with the statement. */
const CONTINUING = `ALL ANTI ANY ARRAY ASC ASOF CROSS DESC FETCH FINAL FORMAT FULL GLOBAL ILIKE INNER INTO JOIN LEFT LIKE
  LOCAL MOD NATURAL OFFSET ON OUTER OVER PASTE PREWHERE QUALIFY REGEXP RIGHT SAMPLE SEMI SETTINGS USING WINDOW WITH`;

/** Names wherever they have no special meaning. */
const OTHERS = `ANALYZE APPLY ASCENDING AT BOTH CAST COLLATE COLUMNS CUBE CURRENT CURRENT_DATE CURRENT_TIMESTAMP DATE DAY DAYS
  DESCENDING ESCAPE EXCLUDE EXTRACT FILL FILTER FIRST FOLLOWING FOR GROUPING GROUPS HOUR HOURS IGNORE INTERPOLATE INTERVAL
  KEY LAST LEADING MATERIALIZED MICROSECOND MICROSECONDS MILLISECOND MILLISECONDS MINUTE MINUTES MONTH MONTHS NANOSECOND
  NANOSECONDS NEXT NULLS ONLY PARTITION POSITION PRECEDING QUARTER QUARTERS RANGE RECURSIVE REPLACE RESPECT ROLLUP ROW ROWS
  SECOND SECONDS SETS SOME STEP SUBSTRING TIES TIME TIMESTAMP TO TOP TOTALS TRAILING TRIM UNBOUNDED VALUES WEEK WEEKS WITHIN
  YEAR YEARS ZONE`;

const words = (text: string, use: KeywordUse): [string, KeywordUse][] =>
  text.split(/\s+/).map((word): [string, KeywordUse] => [word, use]);

export const clickhouseKeywords: ReadonlyMap<string, KeywordUse> = new Map([
  ...words(OTHERS, 'name'),
  ...words(CONTINUING, 'join'),
  ...words(RESERVED, 'reserved'),
]);

/** Units of time, by every name they have in INTERVAL and in functions of dates. */
export const UNITS: ReadonlyMap<string, string> = new Map(
  [
    'NANOSECOND',
    'MICROSECOND',
    'MILLISECOND',
    'SECOND',
    'MINUTE',
    'HOUR',
    'DAY',
    'WEEK',
    'MONTH',
    'QUARTER',
    'YEAR',
  ].flatMap((unit): [string, string][] => [
    [unit, unit],
    [`${unit}S`, unit],
    [`SQL_TSI_${unit}`, unit],
  ]),
);
