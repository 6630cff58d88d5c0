/** Measures row counts, ranges of times and values of the semantic layer's tables once a day. */
import {
  appReady,
  definePlugin,
  messageOf,
  type SqlStatement,
  sqlBefore,
  storeMigrations,
} from '../../kernel/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { layerFacts, semanticLayer } from '../semantic-layer/index.ts';
import { tighten } from '../sql-limits/index.ts';
import { KnownFacts } from './known-facts.ts';
import { migrations, STORED_TABLES } from './migrations.ts';
import { ProfileOptions, SURFACE } from './options.ts';
import { FactStore } from './store.ts';

/** What the plugin gives to others. */
export interface Profile {
  /** Measures now, unless some server has begun to within the last 24 hours; then, or without a database, false. */
  measure(): Promise<boolean>;
}

export const profile = definePlugin({
  name: 'profile',
  version: '1.0.0',
  type: 'context',
  description: 'Measures row counts, ranges of times and values of the semantic layer’s tables once a day.',
  needs: { layer: semanticLayer, db: internalDb },
  options: ProfileOptions,
  setup(ctx, options, { layer, db }): Profile {
    if (!db.configured) return { measure: async () => false };
    const store = new FactStore(db);
    const known = new KnownFacts(store, () => ctx.now());
    const stopping = new AbortController();
    let running: Promise<boolean> = Promise.resolve(false);
    const measure = async () => {
      const { DailyRun } = await import('./daily-run.ts');
      const hasMeasured = await new DailyRun({ ctx, layer, store, options }).run(stopping.signal);
      await known.refresh();
      return hasMeasured;
    };
    ctx.tap(storeMigrations, () => [...migrations]);
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(layerFacts, () => known);
    const limited = async (statement: SqlStatement) => {
      const { SAMPLED_ROWS } = await import('../profile-kit/index.ts');
      const limits = {
        ...{ maxRows: SAMPLED_ROWS, maxBytes: 8 * 1024 * 1024, maxCellBytes: 64 * 1024 },
        timeoutMs: options.statementTimeoutMs,
      };
      return { ...statement, limits: tighten(limits, statement.limits) };
    };
    ctx.tap(sqlBefore, (statement) => (statement.surface === SURFACE ? limited(statement) : undefined));
    ctx.tap(organizationDelete, async ({ orgId }) => {
      await store.removeAll(orgId);
      known.forget(orgId);
    });
    // Not a recurring task of the plugin `jobs`: every server has to look for what another one has measured, and nothing
    // may be measured right after a start.
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      running = measure().catch((error: unknown) => {
        if (!stopping.signal.aborted) ctx.log.warn({ error: messageOf(error) }, 'The tables could not be measured.');
        return false;
      });
      void running.then(() => next(options.everyMs));
    };
    const next = (afterMs: number) => {
      if (!stopping.signal.aborted) timer = setTimeout(look, afterMs).unref();
    };
    ctx.on(appReady, () => next(options.firstAfterMs));
    ctx.onDrain(async () => {
      clearTimeout(timer);
      stopping.abort(new Error('The server stops.'));
      await running;
    });
    return { measure };
  },
});
