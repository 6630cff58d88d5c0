/** Reads the last time of a table as its reader may see it, once a minute for all readers with the same policy. */
import { type Actor, messageOf, type PluginContext, type Scope, withTimeout } from '../../kernel/index.ts';
import { claimAt, previewedBy } from '../auth-kit/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import type { Freshness } from '../result-kit/index.ts';
import { isTime, type ModelDimension, type ModelEntity, type SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery } from '../semantic-query/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import type { ProvenanceOptions } from './options.ts';

/** What statements come from, for limits and the audit log. */
const SURFACE = 'freshness';
/** One that takes longer is stopped. */
const STATEMENT_MS = 5_000;
/** A table is let alone for so many times what its statement took: it takes half a percent of the database's time at most. */
const REST_SHARE = 200;
const MAX_KNOWN = 2_000;

export interface AskedTable {
  readonly entity: ModelEntity;
  readonly model: SemanticModel;
  readonly dialect: SqlDialect;
  readonly connection: { readonly id: string; readonly key?: string };
  /** Readers of the same policy see the same rows. */
  readonly policy: string;
}

interface Known {
  readonly reading: Promise<Freshness | null>;
  /** `undefined` as long as it is read. */
  value: Freshness | null | undefined;
  until: number;
}

/** The date or time by which the rows of an entity are new: as declared, else the first that tells when they came about. */
export function timeColumn({ freshness, type, dimensions }: ModelEntity): ModelDimension | undefined {
  const isShown = ({ mask, hidden, sql }: ModelDimension) =>
    mask === undefined && hidden !== true && !sql.includes('{');
  const times = dimensions.filter((one) => isTime(one) && isShown(one));
  if (freshness !== undefined) return times.find(({ name }) => name.toLowerCase() === freshness.column.toLowerCase());
  // Rows of a dimension are looked up: when the last of them came about says nothing.
  return type === 'dimension' ? undefined : times.find(({ name }) => !AHEAD.test(name));
}

/** Times that lie ahead, or are of people, say nothing of when rows came about. */
const AHEAD = /birth|born|dob|due|expir|valid|until|next|schedul|planned|end|deadline|renew/i;

export class FreshnessReader {
  readonly #ctx: PluginContext;
  readonly #options: ProvenanceOptions;
  readonly #closing: AbortSignal;
  readonly #known = new Map<string, Known>();
  readonly #columns = new WeakMap<ModelEntity, ModelDimension | undefined>();

  constructor(ctx: PluginContext, options: ProvenanceOptions, closing: AbortSignal) {
    this.#ctx = ctx;
    this.#options = options;
    this.#closing = closing;
  }

  /** `null` where it is not known in time. */
  async of(table: AskedTable, scope: Scope): Promise<Freshness | null> {
    const { freshness, freshnessWaitMs } = this.#options;
    const { entity } = table;
    if (freshness === 'off' || (freshness === 'declared' && entity.freshness === undefined)) return null;
    const column = this.#columnOf(entity);
    if (column === undefined) return null;
    const known = this.#current(table, column, scope);
    const found =
      known.value === undefined ? await withTimeout(known.reading, freshnessWaitMs, () => null) : known.value;
    return found && { ...found, isLate: isLate(found, entity, this.#ctx.now()) };
  }

  #columnOf(entity: ModelEntity): ModelDimension | undefined {
    if (!this.#columns.has(entity)) this.#columns.set(entity, timeColumn(entity));
    return this.#columns.get(entity);
  }

  #current(table: AskedTable, column: ModelDimension, scope: Scope): Known {
    const { connection, entity, policy } = table;
    const key = [scope.orgId ?? '', connection.key ?? connection.id, entity.name, column.name, policy].join('\n');
    const now = this.#ctx.now();
    const earlier = this.#known.get(key);
    if (earlier !== undefined && earlier.until > now) return earlier;
    const startedAt = performance.now();
    const reading = this.#read(table, column, scope);
    const known: Known = { reading, value: undefined, until: now + this.#options.freshnessTtlMs };
    void reading.then((value) => {
      known.value = value;
      known.until = Math.max(known.until, now + REST_SHARE * (performance.now() - startedAt));
    });
    this.#known.delete(key);
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(key, known);
    return known;
  }

  /** Goes the way of every statement of the reader. */
  async #read(
    { entity, model, dialect, connection }: AskedTable,
    column: ModelDimension,
    scope: Scope,
  ): Promise<Freshness | null> {
    const { requestId, actor, orgId } = scope;
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(STATEMENT_MS)]);
    const own = this.#ctx.scope({ requestId, actor, orgId, signal });
    // Nobody has asked for it, so it awaits no approval.
    freshResults.set(own, true);
    previewedBy.set(own, previewedBy.nearest(scope) ?? actor);
    const name = `${entity.name}.${column.name}`;
    try {
      const { sql } = compileQuery(
        model,
        { adhocMeasures: [{ name: 'last', type: 'max', dimension: name }] },
        { dialect },
      );
      const { result } = await this.#ctx.runSql({ sql, connectionId: connection.id, surface: SURFACE }, own);
      const last = Object.values(result.rows[0] ?? {})[0] ?? null;
      const { within } = entity.freshness ?? {};
      return {
        column: name,
        last: last === null ? null : String(last),
        checkedAt: new Date(this.#ctx.now()).toISOString(),
        ...(within !== undefined && { within }),
        isLate: false,
      };
    } catch (error) {
      this.#ctx
        .logOf(scope)
        .debug({ table: entity.name, error: messageOf(error) }, 'The last time of a table could not be read.');
      return null;
    }
  }
}

/** A day lasts until its end. Times without a zone count as UTC. */
function isLate({ last }: Freshness, { freshness }: ModelEntity, now: number): boolean {
  if (last === null || freshness === undefined) return false;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(last);
  const hasZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(last.slice(10));
  const at = Date.parse(isDay || hasZone ? last : `${last.replace(' ', 'T')}Z`) + (isDay ? 86_400_000 : 0);
  return now - at > freshness.withinMs;
}

/** What says which rows a reader sees: `claims` are those that row security goes by, `undefined` where others limit them, too. */
export function policyOf({ id, role, claims }: Actor, isLimited: boolean, by: readonly string[] | undefined): string {
  if (!isLimited) return '';
  return JSON.stringify(
    by === undefined ? [id, role, claims] : [role, by.map((path) => claimAt(claims, path) ?? null)],
  );
}
