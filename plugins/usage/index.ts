/** Counts tokens and cost of every question, and keeps questions within token budgets. */
import { AtlasError, definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { agent, agentContinue, agentWrap, modelCalled, questionBegun } from '../agent/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { jobs, purgeDaily } from '../jobs/index.ts';
import { Meter } from './meter.ts';
import { meteredAgent } from './metered-agent.ts';
import { migrationsFor, STORED_TABLES } from './migrations.ts';
import { UsageOptions } from './options.ts';
import { Reservations } from './reservations.ts';
import { usageRoutes } from './routes.ts';
import { UsageStore } from './store.ts';

export { budgetExhausted, type UsageCounted, usageCounted } from './events.ts';
export type { UsageEntry } from './schemas.ts';

const DAY_MS = 86_400_000;

export const usage = definePlugin({
  name: 'usage',
  version: '1.0.0',
  type: 'policy',
  description: 'Counts tokens and cost of every question, and keeps questions within token budgets.',
  needs: { agent, db: internalDb, jobs: optional(jobs) },
  options: UsageOptions,
  setup(ctx, options, { agent: { requestTimeoutMs }, db, jobs: queue }) {
    const isShared = options.userDayTokens !== undefined || options.orgMonthTokens !== undefined;
    if (isShared && !db.configured) {
      throw new AtlasError('A token budget for users or organizations needs the internal database to count in.', {
        code: 'configuration_error',
        reason: 'E_BUDGET_DATABASE',
        hint: 'Set DATABASE_URL, or unset SVC_BUDGET_USER_DAY_TOKENS and SVC_BUDGET_ORG_MONTH_TOKENS.',
      });
    }
    const reservations = new Reservations(db, ctx.now);
    const recording = db.configured ? db : undefined;
    const meter = new Meter({ ctx, options, db: recording, reservations, requestTimeoutMs });
    // Outermost: a question that is refused leaves no conversation.
    ctx.tap(agentWrap, () => [(ask) => meteredAgent(meter, ask)], { stage: 'pre' });
    ctx.tap(agentContinue, (_, scope) => meter.limit(scope));
    ctx.on(questionBegun, ({ scope, question }) => meter.begin(scope, question));
    ctx.on(modelCalled, (call) => meter.count(call));

    const store = new UsageStore(db);
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () => db.routes(usageRoutes({ ctx, options, store, reservations })));
    if (!db.configured) return;
    purgeDaily(ctx, queue, 'Old usage', () => store.purge(ctx.now() - options.retentionDays * DAY_MS, ctx.now()));
    ctx.onClose(() => meter.end());
  },
});
