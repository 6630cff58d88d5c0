/** Tells of a result where it comes from: what its statement says, how new the rows are, and which policies apply. */
import type { PluginContext, Scope, SqlStatement, ToolTable } from '../../kernel/index.ts';
import { agent, type TableRemark, type TableShown } from '../agent/index.ts';
import type { Provenance, ProvenanceTable } from '../result-kit/index.ts';
import { type RowSecurityService, rowSecurity } from '../row-security/index.ts';
import { readQuery, type SemanticLayerApi, type SemanticModel } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { findDialect, type SqlDialect } from '../sql-kit/index.ts';
import { assumptionsFor } from './assumptions.ts';
import { FreshnessReader, policyOf } from './freshness.ts';
import type { ProvenanceOptions } from './options.ts';
import { type Origin, originOf, unreadOrigin } from './origin.ts';

const MAX_KNOWN = 500;
/** What is told of longer statements is long, too, and not kept. */
const MAX_KNOWN_CHARS = 10_000;
/** Plugins of which it is known what they do to a statement. */
const KNOWN_CHANGES: ReadonlySet<string> = new Set(
  [agent, sqlGuard, rowSecurity].map(({ definition }) => definition.name),
);

export interface DescriberInit {
  readonly ctx: PluginContext;
  readonly layer: SemanticLayerApi;
  readonly rows: RowSecurityService | undefined;
  readonly options: ProvenanceOptions;
  readonly closing: AbortSignal;
}

interface Read {
  readonly origin: Origin;
  readonly dialect: SqlDialect | undefined;
}

export type Describe = (shown: TableShown, scope: Scope) => Promise<TableRemark[]>;

export function describer({ ctx, layer, rows, options, closing }: DescriberInit): Describe {
  const freshness = new FreshnessReader(ctx, options, closing);
  const known = new WeakMap<SemanticModel, Map<string, Promise<Read>>>();

  function read(table: ToolTable, statement: SqlStatement | undefined, model: SemanticModel, scope: Scope) {
    if (table.sql.length > MAX_KNOWN_CHARS) return readNew(table, statement, model, scope);
    const ofModel = known.get(model) ?? new Map<string, Promise<Read>>();
    known.set(model, ofModel);
    // What a statement reckons from today is another day tomorrow.
    const day = Math.floor(ctx.now() / 86_400_000);
    const key = `${statement?.connection.key ?? table.connectionId} ${day}\n${table.sql}`;
    const earlier = ofModel.get(key);
    if (earlier !== undefined) return earlier;
    const reading = readNew(table, statement, model, scope);
    if (ofModel.size >= MAX_KNOWN) ofModel.delete(ofModel.keys().next().value!);
    ofModel.set(key, reading);
    reading.catch(() => ofModel.delete(key));
    return reading;
  }

  async function readNew(
    { sql, connectionId }: ToolTable,
    statement: SqlStatement | undefined,
    model: SemanticModel,
    scope: Scope,
  ): Promise<Read> {
    const reading = await readQuery(ctx, layer, { sql, connectionId }, scope);
    const allowed = statement?.tables ?? [];
    const origin = (reading && originOf(reading, model, allowed, new Date(ctx.now()))) ?? unreadOrigin(model, allowed);
    const dialect = reading?.dialect ?? (statement && (await findDialect(ctx, statement.connection.dbType, scope)));
    return { origin, dialect };
  }

  return async ({ table, question }, scope) => {
    const statement = table.ran?.statement;
    const model = await layer.for(scope);
    const { origin, dialect } = await read(table, statement, model, scope);
    const policies = statement?.shown?.policies ?? [];
    // Without a guard nothing is known of what limits the rows.
    const isLimited = statement?.shown === undefined || policies.includes('rows');
    const isPlain = statement?.changes?.every(({ plugin }) => KNOWN_CHANGES.has(plugin)) ?? true;
    const policy = policyOf(scope.actor, isLimited, isPlain ? rows?.claims : undefined);
    const connection = statement?.connection ?? { id: table.connectionId };
    const tables = await Promise.all(
      origin.entities.map(async (entity): Promise<ProvenanceTable> => {
        const isRead = dialect?.isBilled !== true || entity.freshness !== undefined;
        const own = isRead && dialect && { entity, model, dialect, connection, policy };
        return { name: entity.name, freshness: own ? await freshness.of(own, scope) : null };
      }),
    );
    const provenance: Provenance = {
      tables: [...tables, ...origin.otherTables.map((name) => ({ name, freshness: null }))],
      ...origin.provenance,
      policies: [...policies],
      limit: { rows: origin.limitRows, truncated: table.truncated, sampled: origin.isSampled },
      assumptions: assumptionsFor(origin.meanings, question?.turns.at(-1)?.text),
    };
    return [{ facts: { provenance, ...(origin.formats && { formats: origin.formats }) } }];
  };
}
