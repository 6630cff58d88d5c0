import { definePlugin, sqlAfter, sqlBefore } from '../../kernel/index.ts';
import { rowSinks } from '../datasource-kit/index.ts';
import { tighten, trim } from './limits.ts';
import { SqlLimitsOptions } from './options.ts';

export { tighten } from './limits.ts';

/** Rows, bytes and time that one statement may take. Drivers keep to the limits; what they return too much is cut. */
export const sqlLimits = definePlugin({
  name: 'sql-limits',
  version: '1.0.0',
  type: 'policy',
  description: 'Rows, bytes and time that one statement may take.',
  options: SqlLimitsOptions,
  setup(ctx, options) {
    ctx.tap(sqlBefore, (statement, scope) => {
      // Rows that are handed on make no result.
      const limits = rowSinks.get(scope)?.limits ?? options;
      return { ...statement, limits: tighten(limits, statement.limits) };
    });
    ctx.tap(sqlAfter, (reply) => trim(reply, reply.statement.limits?.maxRows ?? options.maxRows));
  },
});
