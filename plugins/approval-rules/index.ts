/** Holds statements back that an administrator's rules name, until somebody approves them. */
import { definePlugin, httpRoutes, optional, sqlCheck, storeMigrations } from '../../kernel/index.ts';
import { actions } from '../actions/index.ts';
import { deleteRowsOf, FreshValues } from '../admin-kit/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { queryApi, showsSqlBy } from '../query-api/index.ts';
import { ApprovedStatements } from './approved-statements.ts';
import { Gate } from './gate.ts';
import { migrationsFor, RULES, STORED_TABLES } from './migrations.ts';
import { ApprovalRulesOptions } from './options.ts';
import { ruleRoutes } from './routes.ts';
import { changeOf } from './rules.ts';
import { defineSqlAction } from './sql-action.ts';
import { RuleStore } from './store.ts';

export type { Rule as ApprovalRule } from './schemas.ts';

export const approvalRules = definePlugin({
  name: 'approval-rules',
  version: '1.0.0',
  type: 'policy',
  description: 'Holds statements back that an administrator’s rules name, until they are approved.',
  needs: {
    db: internalDb,
    actions: optional(actions),
    log: optional(audit),
    queryApi: optional(queryApi),
  },
  options: ApprovalRulesOptions,
  setup(ctx, options, { db, actions: requests, log, queryApi: answers }) {
    const store = new RuleStore(db);
    const rules = new FreshValues((orgId) => store.enabled(orgId));
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () =>
      db.routes(
        ruleRoutes({
          store,
          now: ctx.now,
          audited: (scope) => async (before, after, trx) => log?.change(changeOf(before, after), scope, trx),
          changed: (orgId) => rules.forget(orgId),
        }),
      ),
    );
    if (!db.configured) return;
    ctx.tap(organizationDelete, async ({ orgId }) => {
      await deleteRowsOf(orgId, db, RULES);
      rules.forget(orgId);
    });
    const approved = new ApprovedStatements();
    const gate = new Gate({ ctx, options, rules, approved, actions: requests });
    // After the guard, which has found out what the statement reads.
    ctx.tap(sqlCheck, (statement, scope) => gate.check(statement, scope), { stage: 'post' });
    if (requests?.available === true) defineSqlAction(ctx, approved, showsSqlBy(answers));
  },
});
