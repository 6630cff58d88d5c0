/** Measures the tables of all layers, those not tried for the longest time first, until the budget of the day is spent. */
import { AtlasError, messageOf, type PluginContext, type Scope } from '../../kernel/index.ts';
import { SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { connectionOwners } from '../datasource-kit/index.ts';
import type { Read } from '../profile-kit/index.ts';
import type { MeasuredTable, SemanticLayerApi, TableFacts } from '../semantic-layer/index.ts';
import { BUDGET_SPENT, Budget } from './budget.ts';
import { measureTable } from './measure.ts';
import type { ProfileOptions } from './options.ts';
import { type FactStore, NO_FACTS } from './store.ts';
import { type FoundTable, findTables } from './tables.ts';

/** Of statements, for limits and the audit log. */
export const SURFACE = 'profile';
const REST_MS = 24 * 3_600_000;
/** Nothing follows of the other tables of a connection when a statement ends so. */
const AWAY = new Set(['datasource_unavailable', 'overloaded', 'unavailable', 'timeout', 'sql_cancelled']);

export interface DailyRunInit {
  readonly ctx: PluginContext;
  readonly layer: SemanticLayerApi;
  readonly store: FactStore;
  readonly options: ProfileOptions;
}

/** What the run of one day has left and has done. */
interface Day {
  readonly budget: Budget;
  /** Aborts when the time of the day is over, and when the server stops. */
  readonly signal: AbortSignal;
  measured: number;
  readonly failures: { readonly what: string; readonly error: string }[];
}

export class DailyRun {
  readonly #init: DailyRunInit;

  constructor(init: DailyRunInit) {
    this.#init = init;
  }

  /** Whether anything was measured: not where some server has begun to within the last 24 hours. */
  async run(stopping: AbortSignal): Promise<boolean> {
    const { ctx, store, options } = this.#init;
    if (!(await store.claim(ctx.now(), REST_MS))) return false;
    const startedAt = performance.now();
    const budget = new Budget(options.maxStatements);
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(options.maxMs)]);
    const day: Day = { budget, signal, measured: 0, failures: [] };
    for (const orgId of await this.#layers()) {
      if (budget.left <= 0 || signal.aborted) break;
      await store.begin(orgId, ctx.now());
      try {
        await this.#measure(orgId, day);
      } catch (error) {
        if (signal.aborted) break;
        // The layer of the organization is gone.
        if (orgId !== null && error instanceof AtlasError && error.code === 'not_available')
          await store.removeAll(orgId);
        else day.failures.push({ what: orgId ?? 'the shared layer', error: messageOf(error) });
      }
    }
    const tookMs = Math.round(performance.now() - startedAt);
    const statements = options.maxStatements - budget.left;
    const [first] = day.failures;
    const failed = first === undefined ? {} : { failed: day.failures.length, first };
    const counts = { tables: day.measured, statements, tookMs, ...failed };
    ctx.log[first === undefined ? 'info' : 'warn'](counts, 'Tables of the semantic layer were measured.');
    return true;
  }

  /** The shared layer and the organizations that have one, or connections, of their own; the facts of others are removed. */
  async #layers(): Promise<readonly (string | null)[]> {
    const { ctx, layer, store } = this.#init;
    const owners = (await ctx.call(connectionOwners, undefined, ctx.scope())).map(({ value }) => value);
    const layers = new Set([null, ...layer.organizations(), ...owners]);
    await store.removeOthers(layers);
    return longestAgo([...layers], (orgId) => orgId, await store.begun(), ctx.now());
  }

  /** What was measured is stored at once, so that the layer changes once. */
  async #measure(orgId: string | null, day: Day): Promise<void> {
    const { ctx, layer, store } = this.#init;
    const scope = ctx.scope({ orgId, actor: SYSTEM_ACTOR, signal: day.signal });
    const { found, unknown, failures } = await findTables(ctx, await layer.measuredTables(orgId), scope);
    day.failures.push(...failures);
    const triedAt = await store.tried(orgId);
    const present = new Set(
      [...found.map(({ measured }) => measured), ...unknown].map(({ key }: MeasuredTable) => key),
    );
    const measured = new Map<string, TableFacts>();
    const tried = unknown.map(({ key }) => key);
    const away = new Set<string>();
    for (const table of longestAgo(found, (one) => one.measured.key, triedAt, ctx.now())) {
      const { key } = table.measured;
      const outcome = away.has(table.connection.id) ? 'silent' : await this.#facts(table, day, scope);
      if (outcome === 'spent') break;
      if (outcome === 'away') away.add(table.connection.id);
      if (typeof outcome === 'string') tried.push(key);
      else measured.set(key, outcome);
      if (day.signal.aborted) break;
    }
    const gone = [...triedAt.keys()].filter((key) => !present.has(key));
    await store.save(orgId, { measured, tried, gone }, ctx.now());
    day.measured += measured.size;
  }

  /** `silent`: the table did not answer, `away`: nor will others of its connection, `spent`: it was not tried. */
  async #facts(table: FoundTable, day: Day, scope: Scope): Promise<TableFacts | 'silent' | 'away' | 'spent'> {
    const { ctx } = this.#init;
    const read: Read = async (sql) => {
      day.budget.take();
      return (await ctx.runSql({ sql, connectionId: table.connection.id, surface: SURFACE }, scope)).result;
    };
    try {
      return await measureTable(table, read);
    } catch (error) {
      if (error === BUDGET_SPENT) return 'spent';
      if (day.signal.aborted) return 'silent';
      const what = table.measured.table;
      ctx.log.debug({ table: what, error: messageOf(error) }, 'A table could not be measured.');
      day.failures.push({ what, error: messageOf(error) });
      const code = error instanceof AtlasError ? error.code : '';
      if (AWAY.has(code)) return 'away';
      return code === 'sql_timeout' ? 'silent' : NO_FACTS;
    }
  }
}

/** Those first that were never tried, or in the future by a clock that was wrong. */
function longestAgo<T, K>(items: readonly T[], keyOf: (item: T) => K, times: ReadonlyMap<K, number>, now: number): T[] {
  const at = (item: T) => times.get(keyOf(item)) ?? 0;
  return items.toSorted((a, b) => (at(a) > now ? 0 : at(a)) - (at(b) > now ? 0 : at(b)));
}
