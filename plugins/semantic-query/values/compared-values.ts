/** Finds the texts that a statement compares with columns of entities. */
import type { ModelDimension, ModelEntity } from '../../semantic-layer/index.ts';
import {
  type Core,
  type Expr,
  type From,
  forEachOperand,
  forEachTerm,
  type Select,
  type Source,
} from '../../sql-kit/index.ts';

export interface ComparedValue {
  readonly entity: ModelEntity;
  readonly dimension: ModelDimension;
  readonly value: string;
}

/** A table that is in sight, by the name that columns call it by; without an entity where it is none. */
interface VisibleTable {
  readonly name: string;
  readonly entity: ModelEntity | undefined;
}

const EQUALITY = new Set(['=', '==', '<>', '!=']);
const lower = (name: string) => name.toLowerCase();

/** Only what is certain: a plain column, of a table that is an entity, compared with a text for equality. */
export function comparedValues(select: Select, tables: ReadonlyMap<string, ModelEntity>): ComparedValue[] {
  const reader = new ComparisonReader(tables);
  reader.select(select, new Set());
  return reader.found;
}

/** `common`: names of the common tables in sight, which are no entities. */
class ComparisonReader {
  readonly found: ComparedValue[] = [];
  readonly #tables: ReadonlyMap<string, ModelEntity>;

  constructor(tables: ReadonlyMap<string, ModelEntity>) {
    this.#tables = tables;
  }

  select({ with: clause, first, rest, orderBy }: Select, outer: ReadonlySet<string>): void {
    const commonTables = clause?.tables ?? [];
    const common = new Set([...outer, ...commonTables.map(({ name }) => lower(name))]);
    for (const table of commonTables) this.select(table.select, common);
    for (const core of [first, ...rest.map((part) => part.core)]) this.#core(core, common);
    forEachTerm(orderBy, (expr) => this.#expression(expr, [], common));
  }

  #core(core: Core, common: ReadonlySet<string>): void {
    if (core.kind === 'nested') this.select(core.select, common);
    if (core.kind !== 'core') return;
    const inSight = core.from === undefined ? [] : this.#from(core.from, common);
    const columns = core.columns.map((column) => (column.kind === 'column' ? column.expr : undefined));
    const conditions = (core.from?.joins ?? []).map(({ on }) => on);
    for (const expr of [...columns, ...conditions, core.where, core.having, core.qualify, ...core.groupBy]) {
      if (expr !== undefined) this.#expression(expr, inSight, common);
    }
  }

  #from({ first, joins }: From, common: ReadonlySet<string>): VisibleTable[] {
    return [first, ...joins.map(({ source }) => source)].flatMap((source) => this.#source(source, common));
  }

  #source(source: Source, common: ReadonlySet<string>): VisibleTable[] {
    if (source.kind === 'join' && source.alias === undefined) return this.#from(source.from, common);
    if (source.kind === 'subquery') this.select(source.select, common);
    if (source.kind !== 'table') return [{ name: lower(source.alias ?? ''), entity: undefined }];
    const isCommon = source.schema === undefined && common.has(lower(source.name));
    // Columns that get new names are not followed.
    const entity = isCommon || source.columns !== undefined ? undefined : this.#tables.get(lower(source.name));
    return [{ name: lower(source.alias ?? source.name), entity }];
  }

  #expression(expr: Expr, inSight: readonly VisibleTable[], common: ReadonlySet<string>): void {
    if (expr.kind === 'chain' && expr.operands.length === 2 && EQUALITY.has(expr.operators[0] ?? '')) {
      this.#compare(expr.operands[0], expr.operands[1], inSight);
      this.#compare(expr.operands[1], expr.operands[0], inSight);
    }
    if (expr.kind === 'in') {
      if (expr.set.kind === 'list') for (const item of expr.set.items) this.#compare(expr.operand, item, inSight);
      else this.#source(expr.set, common);
    }
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, common);
    forEachOperand(expr, (operand) => this.#expression(operand, inSight, common));
  }

  #compare(column: Expr | undefined, value: Expr | undefined, inSight: readonly VisibleTable[]): void {
    if (column?.kind !== 'name' || value?.kind !== 'string') return;
    const member = memberOf(column, inSight);
    if (member !== undefined) this.found.push({ ...member, value: value.value });
  }
}

/** The dimension that is the column, when only one table in sight can have it. */
function memberOf(
  { table, name }: Extract<Expr, { kind: 'name' }>,
  inSight: readonly VisibleTable[],
): Omit<ComparedValue, 'value'> | undefined {
  const named = table === undefined ? inSight : inSight.filter((visible) => visible.name === lower(table));
  // A table of unknown columns may have it too.
  if (named.some(({ entity }) => entity === undefined)) return undefined;
  const members = named.flatMap(({ entity }) => {
    const dimension = entity?.dimensions.find(({ sql }) => lower(sql.replaceAll(/["`[\]]/g, '')) === lower(name));
    return entity === undefined || dimension === undefined ? [] : [{ entity, dimension }];
  });
  return members.length === 1 ? members[0] : undefined;
}
