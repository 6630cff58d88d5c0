/** Derives from the semantic layer which columns of a table are unique and which repeat. */
import type { ModelDimension, ModelEntity } from '../semantic-layer/index.ts';

/** Column names are in lower case. */
export interface TableKeys {
  readonly columns: ReadonlySet<string>;
  /** Columns that are true or false: adding them up counts rows. */
  readonly flags: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  /** Texts of which the layer lists no values, such as names: one of them means few rows, often one. */
  readonly names: ReadonlySet<string>;
  readonly primary: readonly string[];
  /** Sets of columns that no two rows have in common. */
  readonly unique: readonly (readonly string[])[];
  /** Sets of columns that several rows may have in common, because a join that leads to one row begins with them. */
  readonly repeating: readonly (readonly string[])[];
}

type Tables = ReadonlyMap<string, ModelEntity>;

const PLAIN_COLUMN = /^(?:["`[]?)([\p{L}_][\p{L}\p{N}_$ ]*)(?:["`\]]?)$/u;
/** Whether one row of the left side meets one row of the right side, and the other way round. */
const IS_SINGLE = {
  many_to_one: { right: true, left: false },
  one_to_one: { right: true, left: true },
  one_to_many: { right: false, left: true },
  many_to_many: { right: false, left: false },
} as const;

const known = new WeakMap<Tables, Map<ModelEntity, TableKeys>>();

/** `tables` are the entities of one connection by their tables; what is derived from them is kept as long as they live. */
export function keysOf(entity: ModelEntity, tables: Tables): TableKeys {
  const all = known.get(tables) ?? allKeys([...new Set(tables.values())]);
  known.set(tables, all);
  return all.get(entity)!;
}

function allKeys(entities: readonly ModelEntity[]): Map<ModelEntity, TableKeys> {
  const drafts = new Map(entities.map((entity) => [entity, draftOf(entity)] as const));
  const byName = new Map(entities.map((entity) => [entity.name.toLowerCase(), entity]));
  const byTable = new Map(entities.map((entity) => [entity.table.toLowerCase(), entity]));
  for (const [entity, draft] of drafts) {
    for (const { target, relationship, on } of entity.joins) {
      const name = target.toLowerCase();
      const other = byName.get(`${entity.source}.${name}`.toLowerCase()) ?? byName.get(name);
      const far = other && drafts.get(other);
      if (other === undefined || far === undefined) continue;
      const single = IS_SINGLE[relationship];
      (single.left ? draft.unique : draft.repeating).push(on.map(({ from }) => physicalColumn(entity, from)));
      (single.right ? far.unique : far.repeating).push(on.map(({ to }) => physicalColumn(other, to)));
    }
    for (const { sql, references = [] } of entity.dimensions) {
      const referred = [references].flat().map((one) => one.toLowerCase().split('.').slice(-2));
      const isForeignKey = referred.some(([table = '', column = '']) => {
        const primary = drafts.get(byTable.get(table)!)?.primary;
        return primary?.length === 1 && primary[0] === column;
      });
      const column = plainColumn(sql);
      if (isForeignKey && column !== undefined) draft.repeating.push([column]);
    }
  }
  return drafts;
}

function draftOf({ dimensions, joins }: ModelEntity) {
  const columnsWhere = (isWanted: (dimension: ModelDimension) => boolean) =>
    dimensions.filter(isWanted).flatMap(({ sql }) => plainColumn(sql) ?? []);
  const keys = dimensions.filter(({ primary_key }) => primary_key === true);
  const keyColumns = columnsWhere(({ primary_key }) => primary_key === true);
  const foreign = new Set(joins.flatMap(({ on }) => on.map(({ from }) => from)));
  // A key that is computed cannot be followed.
  const primary = keys.length === keyColumns.length ? keyColumns : [];
  return {
    columns: new Set(columnsWhere(() => true)),
    flags: new Set(columnsWhere(({ type }) => type === 'boolean')),
    required: new Set([...keyColumns, ...columnsWhere(({ nullable }) => nullable === false)]),
    names: new Set(columnsWhere((dimension) => isName(dimension) && !foreign.has(dimension.name))),
    primary,
    unique: primary.length > 0 ? [primary] : ([] as string[][]),
    repeating: [] as string[][],
  };
}

const isName = ({ type, sample_values, references }: ModelDimension) =>
  type === 'string' && sample_values === undefined && references === undefined;

function plainColumn(sql: string): string | undefined {
  return PLAIN_COLUMN.exec(sql.trim())?.[1]?.toLowerCase();
}

/** A join names a physical column, or a dimension. */
function physicalColumn({ dimensions }: ModelEntity, name: string): string {
  const column = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const dimension = dimensions.find((one) => one.name.toLowerCase() === column);
  return (dimension && plainColumn(dimension.sql)) ?? column;
}
