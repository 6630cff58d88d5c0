/** Defines what the plugin offers to other plugins. */
import type { ToolRun, ToolTable } from '../../kernel/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import type { QueryPlan } from './plan.ts';

export interface CompiledColumn {
  readonly name: string;
  readonly kind: 'dimension' | 'measure' | 'comparison' | 'change' | 'change_percent' | 'share' | 'ratio';
  /** The measure or dimension it shows, as `entity.member`, or the metric's id. */
  readonly source: string;
  readonly type: 'string' | 'number' | 'boolean' | 'date' | 'timestamp' | 'json';
  readonly unit?: string;
  readonly format?: string;
}

export interface CompiledQuery {
  readonly sql: string;
  readonly columns: readonly CompiledColumn[];
  /** Entities read, by name. */
  readonly entities: readonly string[];
  readonly connection: string | undefined;
  /** What was compiled; missing where it was aggregated again over its groups. */
  readonly plan?: QueryPlan;
}

export interface SemanticQueryApi {
  /** Compiles the plan to one statement. Throws `PlanError` when the plan does not fit the model or is ambiguous. */
  compile(plan: QueryPlan, model: SemanticModel, dialect: SqlDialect): CompiledQuery;
  /**
   * Runs the plan for a tool through all checks of a query. `model`: in place of that of the reader, with further
   * measures. Throws an `AtlasError` that says what to change.
   */
  query(plan: QueryPlan, run: ToolRun, model?: SemanticModel): Promise<ToolTable>;
}
