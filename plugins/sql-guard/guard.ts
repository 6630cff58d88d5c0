/** Checks statements for requests, and remembers which ones passed. */
import { type ConnectionInfo, type Scope, type SqlStatement, scopeValue } from '../../kernel/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import { type SqlDialect, SqlRefusal } from '../sql-kit/index.ts';
import type { AllowedTables } from './allowed-tables.ts';
import { CheckedStatements } from './cache.ts';
import { checkSql } from './check.ts';
import { allowedTables } from './layer-tables.ts';
import type { SqlGuardOptions } from './options.ts';
import { OrganizationTables } from './organization-tables.ts';

const START = { line: 1, column: 1 };
/** Connections of one layer whose tables are kept; those of others are worked out again. */
const MAX_CONNECTIONS = 200;

/** Checks statements before they run, and knows afterwards which ones it let pass. */
export class StatementGuard {
  readonly #options: SqlGuardOptions;
  readonly #warn: (problem: string) => void;
  readonly #checked: CheckedStatements;
  readonly #organizations: OrganizationTables;
  readonly #tables = new WeakMap<SemanticModel, Map<string, AllowedTables>>();
  readonly #passed = scopeValue<SqlStatement[]>();

  /** `warn` is told what of the semantic layer cannot be kept to, once per version of the layer. */
  constructor(options: SqlGuardOptions, warn: (problem: string) => void) {
    this.#options = options;
    this.#warn = warn;
    this.#checked = new CheckedStatements(options.cacheStatements);
    this.#organizations = new OrganizationTables(options.organizations);
  }

  /**
   * The tables that the layer lets be read. `isDefault`: the connection is the one that entities without a connection
   * belong to.
   */
  allowed(model: SemanticModel, connection: ConnectionInfo, dialect: SqlDialect, isDefault: boolean): AllowedTables {
    let ofModel = this.#tables.get(model);
    if (ofModel === undefined) {
      ofModel = new Map();
      this.#tables.set(model, ofModel);
    }
    const key = `${keyOf(connection)} ${connection.dbType} ${isDefault}`;
    const known = ofModel.get(key);
    if (known !== undefined) return known;
    const entities = model.entities.filter((entity) =>
      entity.connection === undefined ? isDefault : entity.connection === connection.id,
    );
    const own = dialect.forConnection?.(connection) ?? dialect;
    const { tables, problems } = allowedTables(entities, own);
    problems.forEach(this.#warn);
    ofModel.set(key, tables);
    const [oldest] = ofModel.keys();
    if (ofModel.size > MAX_CONNECTIONS && oldest !== undefined) ofModel.delete(oldest);
    return tables;
  }

  /** The statement as it may run, with all that it reads, calls and binds. Throws `SqlRefusal`. */
  admit(statement: SqlStatement, allowed: AllowedTables, scope: Scope): SqlStatement {
    const tables = this.#organizations.of(allowed, scope.orgId);
    if (statement.params.length > 0) throw new SqlRefusal('parameter', 'Parameters have no place here', START);
    const { sql } = statement;
    const { functions, maxTextLength, maxTokens } = this.#options;
    const checked = this.#checked.get(sql, tables, () =>
      checkSql(sql, { tables, functions, limits: { maxTextLength, maxTokens } }),
    );
    const params = checked.params.map((value) => value.valueFor(scope));
    const { sql: printed, shown, changes, columns, functions: called } = checked;
    // Frozen, with its lists: a plugin that edits it in place would edit what `verify` compares with.
    const admitted = Object.freeze({
      ...statement,
      sql: printed,
      shown,
      changes: [...(statement.changes ?? []), ...changes],
      params: Object.freeze(params),
      tables: Object.freeze(checked.tables),
      columns,
      functions: Object.freeze(called),
    });
    const passed = this.#passed.get(scope);
    if (passed === undefined) this.#passed.set(scope, [admitted]);
    else passed.push(admitted);
    return admitted;
  }

  /** Throws unless the statement is, to the letter, one that `admit` returned for this request. */
  verify(statement: SqlStatement, scope: Scope): void {
    if (this.#passed.get(scope)?.some((admitted) => isSame(admitted, statement))) return;
    throw new SqlRefusal(
      'unchecked',
      'The statement was changed after it was checked',
      START,
      'Let plugins that rewrite SQL tap "sql.before" ahead of "sql-guard".',
    );
  }
}

const keyOf = ({ key, id }: ConnectionInfo) => key ?? id;

/** Whether all that decides what runs and what it may open is the same. */
function isSame(admitted: SqlStatement, statement: SqlStatement): boolean {
  return (
    keyOf(admitted.connection) === keyOf(statement.connection) &&
    admitted.requested === statement.requested &&
    admitted.sql === statement.sql &&
    isSameList(admitted.params, statement.params) &&
    isSameList(admitted.tables, statement.tables) &&
    isSameList(admitted.functions, statement.functions)
  );
}

/** Whether two lists hold the same values; lists without any are never the same as none. */
function isSameList(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && a.length === b?.length && a.every((value, index) => Object.is(value, b[index]));
}
