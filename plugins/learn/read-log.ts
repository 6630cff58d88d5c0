/** Reads statements from the audit log, with the questions that each answers, and what they use of the layer. */
import { setImmediate } from 'node:timers/promises';
import { type App, type ConnectionInfo, datasourceList, type Scope } from '../../kernel/index.ts';
import { type AuditEntry, auditedPeople, auditedStatements } from '../audit/index.ts';
import { askedQuestions } from '../conversations/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { ModelEntity, SemanticModel } from '../semantic-layer/index.ts';
import { DEFAULT_LIMITS, findDialect, fold, parseStatement } from '../sql-kit/index.ts';
import { declaredMeasure } from './declared-measure.ts';
import type { Log, LoggedAggregate, LoggedStatement } from './log.ts';
import { expressionText, shapeOf } from './shape.ts';
import { type StatementUse, useOf } from './statement-use.ts';
import { turnsOf, withTurns } from './turns.ts';

export interface LogRequest {
  readonly db: InternalDb;
  readonly model: SemanticModel;
  /** Whose layer it is; `null`: the shared one. */
  readonly orgId: string | null;
  /** Whether an organization has a layer of its own: it says nothing about the shared one. */
  hasOwnLayer(orgId: string): boolean;
  /** Statements, and conversations: the newest ones. */
  readonly limit: number;
  /** ISO 8601. */
  readonly since: string | undefined;
  /** The composition, whose connections and dialects are asked for. */
  readonly ctx: Pick<App, 'call'>;
  readonly scope: Scope;
}

/** Statements that are read before other requests have their turn. */
const BATCH = 25;

type Whose = Pick<AuditEntry, 'userId' | 'orgId'>;

/** A statement that was refused early is logged without its engine; others of its connection say which it is. */
function enginesOf(entries: readonly AuditEntry[], connections: readonly ConnectionInfo[]) {
  const known = new Map<string | null, string>(connections.map(({ id, dbType }) => [id, dbType]));
  for (const { connectionId, dbType } of entries) if (dbType !== null) known.set(connectionId, dbType);
  const [first] = known.values();
  return ({ connectionId, dbType }: AuditEntry) =>
    dbType ?? known.get(connectionId) ?? (connectionId === null ? first : undefined);
}

/** Finds entities by their tables. An entity without a connection of its own is on any that no other entity names. */
function finderFor({ entities }: SemanticModel, connectionId: string | null) {
  const named = new Set(entities.map(({ connection }) => connection));
  const own = entities.filter(({ connection }) =>
    connection === undefined
      ? !named.has(connectionId ?? undefined) || connectionId === null
      : connection === connectionId,
  );
  const byTable = Map.groupBy(own, ({ table }) => fold(table.split('.').at(-1) ?? table));
  return (schema: string | undefined, table: string): ModelEntity | undefined => {
    const found = byTable.get(fold(table)) ?? [];
    if (schema === undefined) return found.length === 1 ? found[0] : undefined;
    const exact = found.find(
      (entity) => fold(entity.schema ?? '') === fold(schema) || fold(entity.table) === `${fold(schema)}.${fold(table)}`,
    );
    return exact ?? (found.length === 1 && found[0]?.schema === undefined ? found[0] : undefined);
  };
}

const wordsIn = (sql: string): readonly string[] => sql.match(/[\p{L}_][\p{L}\p{N}_$]*/gu) ?? [];

/** Tells of a statement whether it has a name of a column that is hidden or masked: nothing is learned from it. */
function protectedIn({ entities }: SemanticModel): (sql: string, use: StatementUse) => boolean {
  const dimensions = entities.flatMap((entity) =>
    entity.dimensions.filter(({ hidden, mask }) => hidden === true || mask !== undefined),
  );
  const names = new Set(dimensions.flatMap(({ name, sql }) => [name, ...wordsIn(sql)]).map(fold));
  // A column is found wherever it stands; words of an expression, such as CASE, only as names.
  const columns = new Set(dimensions.filter(({ sql }) => wordsIn(sql).join() === sql).map(({ sql }) => fold(sql)));
  return (sql, use) =>
    wordsIn(sql).some((word) => columns.has(fold(word))) || [...use.names].some((name) => names.has(name));
}

/** Who counts as one person: where several organizations share a layer, all people of one. */
function personFor({ orgId }: LogRequest, people: readonly Whose[]): (whose: Whose) => string {
  const isMany = orgId === null && new Set(people.flatMap((one) => one.orgId ?? [])).size > 1;
  return (one) => (isMany ? (one.orgId ?? '') : `${one.orgId ?? ''} ${one.userId ?? ''}`);
}

/** Statements that cannot be read are left out. */
export async function readLog(request: LogRequest): Promise<Log> {
  const { db, model, limit, since, ctx, scope } = request;
  const orgId = request.orgId ?? undefined;
  const isOurs = (one: Whose) => orgId !== undefined || one.orgId === null || !request.hasOwnLayer(one.orgId);
  const people = (await auditedPeople(db, orgId)).filter(isOurs);
  const personOf = personFor(request, people);
  const entries = (await auditedStatements(db, { orgId, limit, since })).reverse();
  const turns = turnsOf((await askedQuestions(db, { orgId, limit, since })).filter(isOurs), personOf);
  const isProtected = protectedIn(model);
  const finders = new Map<string | null, ReturnType<typeof finderFor>>();
  const connections = (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);
  const engineOf = enginesOf(entries, connections);
  const statements: LoggedStatement[] = [];
  for (const [at, entry] of entries.filter(isOurs).entries()) {
    if (at % BATCH === 0) await setImmediate(undefined, { signal: scope.signal });
    const dialect = await findDialect(ctx, engineOf(entry) ?? '', scope);
    if (dialect === undefined) continue;
    await dialect.load?.();
    const { id, connectionId, timestamp } = entry;
    const find = finders.get(connectionId) ?? finderFor(model, connectionId);
    finders.set(connectionId, find);
    try {
      const select = parseStatement(entry.sql, dialect, DEFAULT_LIMITS);
      const use = useOf(select, find);
      if (isProtected(entry.sql, use)) continue;
      const aggregates = use.aggregates.map((one): LoggedAggregate => {
        const sql = expressionText(one.argument, dialect);
        return { ...one, sql, measure: declaredMeasure(one, sql, dialect) };
      });
      const sign = { id, person: personOf(entry), day: timestamp.slice(0, 10) };
      const read = { use, aggregates, shape: shapeOf(select, dialect) };
      statements.push({ ...sign, entry, ...read, turn: undefined, isRejected: false });
    } catch {
      // Cut off by the log, or of an engine's own syntax.
    }
  }
  const minPeople = new Set([...people.map(personOf), ...turns.map(({ person }) => person)]).size > 1 ? 2 : 1;
  return { statements: withTurns(statements, turns), turns, minPeople };
}
