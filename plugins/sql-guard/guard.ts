import type { Scope, SqlStatement } from '../../kernel/index.ts';
import type { SemanticModel } from '../semantic-layer/model.ts';
import { allowedTables } from './allowed.ts';
import { CheckedStatements } from './cache.ts';
import { type CheckedSql, checkSql, sqlDialect } from './check.ts';
import { SqlRefusal } from './errors.ts';
import type { SqlGuardOptions } from './options.ts';
import type { AllowedTables } from './tables.ts';

const START = { line: 1, column: 1 };

/** Checks statements before they run, and knows afterwards which ones it let pass. */
export class StatementGuard {
  private readonly options: SqlGuardOptions;
  private readonly warn: (problem: string) => void;
  private readonly checked: CheckedStatements;
  private readonly tables = new WeakMap<SemanticModel, Map<string, AllowedTables>>();
  private readonly passed = new WeakMap<Scope, Set<string>>();

  /** `warn` is told what of the semantic layer cannot be kept to, once per version of the layer. */
  constructor(options: SqlGuardOptions, warn: (problem: string) => void) {
    this.options = options;
    this.warn = warn;
    this.checked = new CheckedStatements(options.cacheStatements);
  }

  /**
   * The statement as it may run, with all that it reads and calls. `isDefault`: its connection is the one that
   * entities without a connection belong to. Throws `SqlRefusal`.
   */
  admit(statement: SqlStatement, model: SemanticModel, isDefault: boolean, scope: Scope): SqlStatement {
    if (statement.params.length > 0) throw new SqlRefusal('parameter', 'Parameters have no place here', START);
    const { sql, connection } = statement;
    const tables = this.tablesOf(model, statement, isDefault);
    const { functions, maxTextLength, maxTokens } = this.options;
    const checked = this.checked.get(sql, tables, () =>
      checkSql(sql, { dialect: connection.dbType, tables, functions, limits: { maxTextLength, maxTokens } }),
    );
    const admitted = { ...statement, ...runnable(checked) };
    const passed = this.passed.get(scope);
    if (passed === undefined) this.passed.set(scope, new Set([fingerprint(admitted)]));
    else passed.add(fingerprint(admitted));
    return admitted;
  }

  /** Throws unless the statement is, to the letter, one that `admit` returned for this request. */
  verify(statement: SqlStatement, scope: Scope): void {
    if (this.passed.get(scope)?.has(fingerprint(statement))) return;
    throw new SqlRefusal(
      'unchecked',
      'The statement was changed after it was checked',
      START,
      'Let plugins that rewrite SQL tap "sql.before" ahead of "sql-guard".',
    );
  }

  private tablesOf(model: SemanticModel, { connection }: SqlStatement, isDefault: boolean): AllowedTables {
    let ofModel = this.tables.get(model);
    if (ofModel === undefined) {
      ofModel = new Map();
      this.tables.set(model, ofModel);
    }
    const key = `${connection.id} ${connection.dbType} ${isDefault}`;
    const known = ofModel.get(key);
    if (known !== undefined) return known;
    const dialect = sqlDialect(connection.dbType);
    const entities = model.entities.filter((entity) =>
      entity.connection === undefined ? isDefault : entity.connection === connection.id,
    );
    const { tables, problems } = allowedTables(entities, dialect);
    problems.forEach(this.warn);
    ofModel.set(key, tables);
    return tables;
  }
}

const runnable = ({ sql, tables, columns, functions }: CheckedSql) => ({ sql, tables, columns, functions });

/** All of a statement that decides what runs and what it may open. */
function fingerprint({ connection, requested, sql, params, tables, functions }: SqlStatement): string {
  return JSON.stringify([connection.id, requested, sql, params, tables, functions]);
}
