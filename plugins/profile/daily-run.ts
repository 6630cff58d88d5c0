/** Measures the tables of all layers, those with the oldest facts first, until the budget of the day is spent. */
import { AtlasError, messageOf, type PluginContext, type Scope } from '../../kernel/index.ts';
import { SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { connectionOwners } from '../datasource-kit/index.ts';
import type { Read } from '../profile-kit/index.ts';
import type { MeasuredTable, SemanticLayerApi, TableFacts } from '../semantic-layer/index.ts';
import { BUDGET_SPENT, Budget } from './budget.ts';
import { measureTable, NO_FACTS } from './measure.ts';
import type { ProfileOptions } from './options.ts';
import type { FactStore } from './store.ts';
import { type FoundTable, findTables } from './tables.ts';

/** Of statements, for limits and the audit log. */
export const SURFACE = 'profile';
/** Less than a day, so that a day does not slip. */
const REST_MS = 20 * 3_600_000;
/** Nothing follows of the table when a statement ends so. */
const AWAY = new Set(['datasource_unavailable', 'overloaded', 'unavailable', 'timeout', 'sql_cancelled']);

export interface DailyRunInit {
  readonly ctx: PluginContext;
  readonly layer: SemanticLayerApi;
  readonly store: FactStore;
  readonly options: ProfileOptions;
}

export class DailyRun {
  readonly #init: DailyRunInit;

  constructor(init: DailyRunInit) {
    this.#init = init;
  }

  /** Whether anything was measured: not where some server has begun to within the last 20 hours. */
  async run(signal: AbortSignal): Promise<boolean> {
    const { ctx, store, options } = this.#init;
    if (!(await store.claim(ctx.now(), REST_MS))) return false;
    const startedAt = performance.now();
    const budget = new Budget(options.maxStatements, options.maxMs);
    let tables = 0;
    for (const orgId of await this.#layers()) {
      if (budget.isSpent || signal.aborted) break;
      try {
        tables += await this.#measure(orgId, budget, signal);
      } catch (error) {
        if (signal.aborted) break;
        // The layer of an organization may be gone with it.
        const isGone = error instanceof AtlasError && error.code === 'not_available';
        ctx.log[isGone ? 'debug' : 'warn'](
          { orgId, error: messageOf(error) },
          'The tables of a layer could not be measured.',
        );
      }
    }
    const tookMs = Math.round(performance.now() - startedAt);
    ctx.log.info(
      { tables, statements: options.maxStatements - budget.left, tookMs },
      'Tables of the semantic layer were measured.',
    );
    return true;
  }

  /** The shared layer and the organizations that have one, or connections, of their own; the longest not measured first. */
  async #layers(): Promise<readonly (string | null)[]> {
    const { ctx, layer, store } = this.#init;
    const owners = (await ctx.call(connectionOwners, undefined, ctx.scope())).map(({ value }) => value);
    const measured = await store.lastMeasured();
    const at = (orgId: string | null) => measured.get(orgId) ?? 0;
    return [...new Set([null, ...layer.organizations(), ...owners])].sort((a, b) => at(a) - at(b));
  }

  /** How many tables were measured. What was measured is stored at once, so that the layer changes once. */
  async #measure(orgId: string | null, budget: Budget, signal: AbortSignal): Promise<number> {
    const { ctx, layer, store } = this.#init;
    const scope = ctx.scope({ orgId, actor: SYSTEM_ACTOR, signal });
    const tables = await layer.measuredTables(orgId);
    const { found, unknown } = await findTables(ctx, tables, scope);
    const measuredAt = await store.measuredAt(orgId);
    const present = new Set(
      [...found.map(({ measured }) => measured), ...unknown].map(({ key }: MeasuredTable) => key),
    );
    const gone = [...measuredAt.keys()].filter((key) => !present.has(key));
    const at = ({ measured }: FoundTable) => measuredAt.get(measured.key) ?? 0;
    const facts = new Map<string, TableFacts>();
    const away = new Set<string>();
    for (const table of found.toSorted((a, b) => at(a) - at(b))) {
      if (budget.isSpent || signal.aborted) break;
      if (away.has(table.connection.id)) continue;
      const outcome = await this.#facts(table, budget, scope);
      if (outcome === 'away') away.add(table.connection.id);
      else if (outcome !== 'spent') facts.set(table.measured.key, outcome);
    }
    await store.save(orgId, facts, gone, ctx.now());
    return facts.size;
  }

  /** A table that cannot be read has no facts until the next time. */
  async #facts(table: FoundTable, budget: Budget, scope: Scope): Promise<TableFacts | 'away' | 'spent'> {
    const { ctx } = this.#init;
    const read: Read = async (sql) => {
      budget.take();
      return (await ctx.runSql({ sql, connectionId: table.connection.id, surface: SURFACE }, scope)).result;
    };
    try {
      return await measureTable(table, read);
    } catch (error) {
      if (error === BUDGET_SPENT) return 'spent';
      if (scope.signal.aborted || (error instanceof AtlasError && AWAY.has(error.code))) return 'away';
      ctx.log.debug({ table: table.measured.table, error: messageOf(error) }, 'A table could not be measured.');
      return NO_FACTS;
    }
  }
}
