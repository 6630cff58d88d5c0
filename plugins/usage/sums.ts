/** Builds the parts of SQL that add questions to the sums, in both engines. */
import { DAYS, TOTALS } from './tables.ts';

export const DAY_KEY = ['org_id', 'user_id', 'day', 'provider', 'model'] as const;

const COUNTS = ['model_calls', 'input_tokens', 'output_tokens', 'cached_input_tokens', 'estimated_tokens'];

/** The subject of a user's, or an organization's, totals. */
export const USER = 'user:';
export const ORGANIZATION = 'organization:';

/** In one order on every server, so that none waits in a circle. `source`: a table, or one with a condition. */
export const DAYS_FROM = (source: string) => `(${[...DAY_KEY, 'questions', ...COUNTS, 'cost'].join(', ')})
  SELECT ${DAY_KEY.join(', ')}, COUNT(*), ${COUNTS.map((name) => `SUM(${name})`).join(', ')}, SUM(cost)
  FROM ${source} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;

export const MERGE_DAYS = `ON CONFLICT (${DAY_KEY.join(', ')}) DO UPDATE SET
  ${['questions', ...COUNTS].map((name) => `${name} = ${DAYS}.${name} + excluded.${name}`).join(', ')},
  cost = COALESCE(${DAYS}.cost + excluded.cost, excluded.cost, ${DAYS}.cost)`;

export const TOTALS_FROM = (source: string) => `(subject, period, tokens)
  SELECT subject, period, SUM(tokens) FROM (
    SELECT '${USER}' || user_id AS subject, day AS period, input_tokens + output_tokens AS tokens FROM ${source}
    UNION ALL
    SELECT '${ORGANIZATION}' || org_id, SUBSTR(day, 1, 7), input_tokens + output_tokens FROM ${source}
  ) AS spent GROUP BY 1, 2 ORDER BY 1, 2`;

export const MERGE_TOTALS = `ON CONFLICT (subject, period) DO UPDATE SET tokens = ${TOTALS}.tokens + excluded.tokens`;
