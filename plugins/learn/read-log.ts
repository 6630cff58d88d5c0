/** Reads statements from the audit log, with the question that each was written for, and what they use of the layer. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionInfo } from '../../kernel/index.ts';
import { type AuditEntry, auditedStatements } from '../audit/index.ts';
import { askedQuestions } from '../conversations/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { ModelEntity, SemanticModel } from '../semantic-layer/index.ts';
import { DEFAULT_LIMITS, fold, parseStatement, type Select, type SqlDialect } from '../sql-kit/index.ts';
import { type StatementUse, useOf } from './statement-use.ts';

/** A statement that could be read. */
export interface LoggedStatement {
  readonly entry: AuditEntry;
  readonly select: Select;
  readonly dialect: SqlDialect;
  readonly use: StatementUse;
  readonly question: string | undefined;
}

export interface LogRequest {
  readonly db: InternalDb;
  readonly model: SemanticModel;
  /** Folder of the layer. */
  readonly layerDir: string;
  readonly limit: number;
  /** ISO 8601. */
  readonly since: string | undefined;
  readonly dialectOf: (dbType: string) => Promise<SqlDialect | undefined>;
  /** Those of the composition. */
  readonly connections: readonly Pick<ConnectionInfo, 'id' | 'dbType'>[];
}

/** A statement that was refused early is logged without its engine; others of its connection say which it is. */
function enginesOf(entries: readonly AuditEntry[], connections: LogRequest['connections']) {
  const known = new Map<string | null, string>(connections.map(({ id, dbType }) => [id, dbType]));
  for (const { connectionId, dbType } of entries) if (dbType !== null) known.set(connectionId, dbType);
  const [first] = known.values();
  return ({ connectionId, dbType }: AuditEntry) =>
    dbType ?? known.get(connectionId) ?? (connectionId === null ? first : undefined);
}

const isUuid = (text: string | null): text is string => text !== null && /^[0-9a-f-]{36}$/i.test(text);

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

/** The statements in the order in which they were asked. Those that cannot be read are left out. */
export async function readLog(request: LogRequest): Promise<LoggedStatement[]> {
  const { db, model, layerDir, limit, since } = request;
  const entries = (await auditedStatements(db, limit, since)).reverse();
  // An organization with a layer of its own says nothing about the shared one.
  const hasOwnLayer = (orgId: string | null) => orgId !== null && existsSync(join(layerDir, '.orgs', orgId));
  const shared = entries.filter(({ orgId }) => !hasOwnLayer(orgId));
  const ids = [...new Set(shared.map(({ conversationId }) => conversationId).filter(isUuid))];
  const asked = Map.groupBy(await askedQuestions(db, ids), ({ conversationId }) => conversationId);
  const isProtected = protectedIn(model);
  const finders = new Map<string | null, ReturnType<typeof finderFor>>();
  const engineOf = enginesOf(entries, request.connections);
  const statements: LoggedStatement[] = [];
  for (const entry of shared) {
    const dialect = await request.dialectOf(engineOf(entry) ?? '');
    if (dialect === undefined) continue;
    const { connectionId, conversationId, timestamp } = entry;
    const find = finders.get(connectionId) ?? finderFor(model, connectionId);
    finders.set(connectionId, find);
    try {
      const select = parseStatement(entry.sql, dialect, DEFAULT_LIMITS);
      const use = useOf(select, find);
      if (isProtected(entry.sql, use)) continue;
      const question = asked.get(conversationId ?? '')?.findLast(({ at }) => at <= timestamp)?.text;
      statements.push({ entry, select, dialect, use, question });
    } catch {
      // Cut off by the log, or of an engine's own syntax.
    }
  }
  return statements;
}
