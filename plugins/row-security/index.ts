import { type ConnectionInfo, datasourceDescribe, datasourceList, definePlugin } from '../../kernel/index.ts';
import { protectedTables } from '../semantic-layer/index.ts';
import { sqlGuard, tablesRestrict } from '../sql-guard/index.ts';
import { Coverage, sentence } from './coverage.ts';
import { Descriptions } from './description.ts';
import { RowSecurityOptions } from './options.ts';
import { filteredTables, policiesOf } from './policies.ts';
import { RowSecurity } from './security.ts';

export { Description } from './description.ts';

/** What the plugin gives to others. */
export interface RowSecurityService {
  /** Names or paths of the claims that decide which rows an actor sees. */
  readonly claims: readonly string[];
}

/** Restricts every statement to the rows that a claim of its actor allows. */
export const rowSecurity = definePlugin({
  name: 'row-security',
  version: '1.0.0',
  type: 'policy',
  description: 'Filters every table by the claims of the current user.',
  // Without the guard nothing would be filtered.
  needs: { guard: sqlGuard },
  options: RowSecurityOptions,
  setup(ctx, options): RowSecurityService {
    const warn = (problem: string) => ctx.log.warn({}, problem);
    // In a separate scope: the first caller may leave while others wait.
    const describe = async ({ key, id }: ConnectionInfo, schemas: readonly string[]) =>
      ctx.callKey(datasourceDescribe, key ?? id, { schemas }, ctx.scope());
    const { describeEveryMs, recheckMs } = options;
    const descriptions = new Descriptions({ describe, now: () => ctx.now(), describeEveryMs, recheckMs, warn });
    const policies = policiesOf(options);
    const connections = async () => (await ctx.call(datasourceList, undefined, ctx.scope())).map(({ value }) => value);
    const coverage = new Coverage({ policies, descriptions, connections, now: () => ctx.now(), recheckMs });
    const security = new RowSecurity(options, descriptions, warn, coverage);
    ctx.onReady(async () => {
      for (const problem of await coverage.atStart()) {
        warn(sentence(`A database could not be looked at, so this is decided when it is asked: ${problem}`));
      }
    });
    ctx.tap(tablesRestrict, (access, scope) => security.restrict(access, scope.actor));
    ctx.tap(protectedTables, () => [filteredTables(policies, options.exempt)]);
    return { claims: security.claims };
  },
});
