import { datasourceDescribe, definePlugin } from '../../kernel/index.ts';
import { sqlGuard, tablesRestrict } from '../sql-guard/index.ts';
import { Descriptions } from './description.ts';
import { RowSecurityOptions } from './options.ts';
import { RowSecurity } from './security.ts';

export { claimAt } from './claims.ts';

/** What the plugin gives to others. */
export interface RowSecurityService {
  /** Names or paths of the claims that decide which rows an actor sees. */
  readonly claims: readonly string[];
}

/** Everybody sees only the rows that a claim says are theirs, in whatever form they ask. */
export const rowSecurity = definePlugin({
  name: 'row-security',
  version: '1.0.0',
  type: 'policy',
  description: 'Filters every table by claims of whoever asks.',
  // Without the guard nobody would ask, and nothing would be filtered.
  needs: { guard: sqlGuard },
  options: RowSecurityOptions,
  setup(ctx, options): RowSecurityService {
    const warn = (problem: string) => ctx.log.warn({}, problem);
    // In a scope of its own: whoever asked first may leave while others wait.
    const describe = async (id: string, schemas: readonly string[]) =>
      ctx.callKey(datasourceDescribe, id, { schemas }, ctx.scope());
    const { describeEveryMs, recheckMs } = options;
    const descriptions = new Descriptions({ describe, now: () => ctx.now(), describeEveryMs, recheckMs, warn });
    const security = new RowSecurity(options, descriptions, warn);
    ctx.tap(tablesRestrict, (access, scope) => security.restrict(access, scope.actor));
    return { claims: security.claims };
  },
});
