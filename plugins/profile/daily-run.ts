/** Measures the tables of all layers, those not tried for the longest time first, until the budget of the day is spent. */
import { AtlasError, messageOf, type PluginContext, type Scope } from '../../kernel/index.ts';
import { SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { connectionOwners } from '../datasource-kit/index.ts';
import type { Read } from '../profile-kit/index.ts';
import type { MeasuredTable, SemanticLayerApi, TableFacts } from '../semantic-layer/index.ts';
import { BUDGET_SPENT, Budget } from './budget.ts';
import { measureTable } from './measure.ts';
import { type ProfileOptions, SURFACE } from './options.ts';
import { type FactStore, NO_FACTS } from './store.ts';
import { type FoundTable, findTables } from './tables.ts';

const REST_MS = 24 * 3_600_000;
/** Nothing follows of the other tables of a connection when a statement ends so. */
const AWAY = new Set(['datasource_unavailable', 'overloaded', 'unavailable', 'sql_cancelled']);

export interface DailyRunInit {
  readonly ctx: PluginContext;
  readonly layer: SemanticLayerApi;
  readonly store: FactStore;
  readonly options: ProfileOptions;
}

/** What the run of one day has left and has done. */
class Day {
  readonly budget: Budget;
  readonly stopping: AbortSignal;
  /** Aborts when the time of the day is over, and when the server stops. */
  readonly signal: AbortSignal;
  measured = 0;
  #failed = 0;
  #first: { readonly what: string; readonly error: string } | undefined;

  constructor({ maxStatements, maxMs }: ProfileOptions, stopping: AbortSignal) {
    this.budget = new Budget(maxStatements);
    this.stopping = stopping;
    this.signal = AbortSignal.any([stopping, AbortSignal.timeout(maxMs)]);
  }

  failed(what: string, error: unknown): void {
    if (this.stopping.aborted) return;
    this.#failed += 1;
    this.#first ??= { what, error: messageOf(error) };
  }

  /** For the log; `undefined` where nothing failed. */
  get failures(): object | undefined {
    return this.#first && { failed: this.#failed, first: this.#first };
  }
}

/** The layer of an organization that has none any more, or whose id can have none. */
const isGone = (error: unknown) =>
  error instanceof AtlasError &&
  (error.reason === 'E_SEMANTIC_LAYER_GONE' || error.reason === 'E_ORGANIZATION_UNMAPPED');

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
    const day = new Day(options, stopping);
    const layers = await this.#layers();
    await store.removeOthers(layers);
    for (const orgId of longestAgo([...layers], (one) => one, await store.begun(), ctx.now())) {
      if (day.budget.left <= 0 || day.signal.aborted) break;
      try {
        await store.begin(orgId, ctx.now());
        await this.#measure(orgId, day);
      } catch (error) {
        if (day.signal.aborted) break;
        day.failed(orgId ?? 'the shared layer', error);
      }
    }
    const { budget, measured: tables, failures } = day;
    const statements = options.maxStatements - budget.left;
    const tookMs = Math.round(performance.now() - startedAt);
    const level = failures === undefined ? 'info' : 'warn';
    ctx.log[level]({ tables, statements, tookMs, ...failures }, 'Tables of the semantic layer were measured.');
    return true;
  }

  /** The shared layer and the organizations that have one, or connections, of their own. */
  async #layers(): Promise<ReadonlySet<string | null>> {
    const { ctx, layer } = this.#init;
    const owners = (await ctx.call(connectionOwners, undefined, ctx.scope())).map(({ value }) => value);
    return new Set([null, ...layer.organizations(), ...owners]);
  }

  /** The tables of a layer; `undefined` where there is none any more, whose facts are removed. */
  async #tablesOf(orgId: string | null): Promise<readonly MeasuredTable[] | undefined> {
    const { layer, store } = this.#init;
    try {
      return await layer.measuredTables(orgId);
    } catch (error) {
      if (orgId === null || !isGone(error)) throw error;
      await store.removeAll(orgId);
      return undefined;
    }
  }

  /** What was measured is stored at once, so that the layer changes once. */
  async #measure(orgId: string | null, day: Day): Promise<void> {
    const { ctx, store } = this.#init;
    const tables = await this.#tablesOf(orgId);
    if (tables === undefined) return;
    const { signal } = day;
    // A plugin that takes too long ends the scope that it was given.
    const scopeOf = () => ctx.scope({ orgId, actor: SYSTEM_ACTOR, signal });
    const failed = (what: string, error: unknown) => day.failed(what, error);
    const { found, unknown } = await findTables(ctx, tables, { signal, scopeOf, failed });
    const triedAt = await store.tried(orgId);
    const present = new Set([...found.map(({ measured }) => measured), ...unknown].map(({ key }) => key));
    const measured = new Map<string, TableFacts>();
    const tried = unknown.map(({ key }) => key);
    const away = new Set<string>();
    for (const table of longestAgo(found, (one) => one.measured.key, triedAt, ctx.now())) {
      // Not tried, so that it comes before the one that did not answer the next time.
      if (away.has(table.connection.id)) continue;
      const { key } = table.measured;
      const outcome = await this.#facts(table, day, scopeOf());
      if (outcome === 'spent') break;
      if (outcome === 'away') away.add(table.connection.id);
      if (typeof outcome === 'string') tried.push(key);
      else measured.set(key, outcome);
      if (signal.aborted) break;
    }
    const gone = [...triedAt.keys()].filter((key) => !present.has(key));
    await store.save(orgId, { measured, tried, gone }, ctx.now());
    day.measured += [...measured.values()].filter((facts) => facts !== NO_FACTS).length;
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
      const code = error instanceof AtlasError ? error.code : '';
      // A rule holds it back, which is as it should be.
      if (code !== 'sql_refused') day.failed(what, error);
      if (AWAY.has(code)) return 'away';
      return code === 'sql_timeout' || scope.signal.aborted ? 'silent' : NO_FACTS;
    }
  }
}

/** Those first that were never tried, or in the future by a clock that was wrong. */
function longestAgo<T, K>(items: readonly T[], keyOf: (item: T) => K, times: ReadonlyMap<K, number>, now: number): T[] {
  const at = (item: T) => times.get(keyOf(item)) ?? 0;
  return items.toSorted((a, b) => (at(a) > now ? 0 : at(a)) - (at(b) > now ? 0 : at(b)));
}
