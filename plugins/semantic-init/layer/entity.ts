/** Turns the profile of a table into an entity of the semantic layer. */
import type { TableDescription } from '../../../kernel/index.ts';
import { free, nameKey, plainName, plural, singular, spoken, withoutKind } from '../../profile-kit/index.ts';
import type { SqlDialect } from '../../sql-kit/index.ts';
import type { Profile } from '../profile/profile.ts';
import { type Dimension, dimensionsOf } from './dimensions.ts';
import { type Join, joinsOf } from './joins.ts';
import { type Measure, measuresOf } from './measures.ts';

export interface Entity {
  readonly profile: Profile;
  readonly name: string;
  readonly type: 'table' | 'view' | 'fact' | 'dimension';
  readonly grain?: string;
  /** By the names of their columns. */
  readonly dimensions: ReadonlyMap<string, Dimension>;
  readonly measures: readonly Measure[];
  readonly joins: readonly Join[];
  readonly segments: readonly Segment[];
}

type Draft = Omit<Entity, 'type'>;

interface Segment {
  readonly name: string;
  readonly sql: string;
  readonly default?: true;
  readonly description: string;
}

/** Times that say something about the row and not when it happened. */
const BOOKKEEPING =
  /^(created|updated|modified|changed|deleted|inserted|loaded|synced|imported|valid|birth|born|dob|last|expires?|hired?)/;
const LABEL = /^(.+_)?(name|label)$|^(title|code|description|symbol)$/;

/** Whether a layer uses the name for another table, of another schema. */
export type IsUsed = (name: string, table: TableDescription) => boolean;

/** The names of entities by their tables, each once. */
function entityNames(tables: readonly TableDescription[], isUsed: IsUsed): ReadonlyMap<TableDescription, string> {
  const taken = new Set<string>();
  const plains = new Set(tables.map((table) => plainName(table.name)));
  const shorts = [...plains].map(withoutKind);
  return new Map(
    tables.map((table) => {
      const plain = plainName(table.name);
      const short = withoutKind(plain);
      const shown = shorts.filter((other) => nameKey(other) === nameKey(short)).length === 1 ? short : plain;
      // Where there are `order` and `orders`, questions about orders mean the second.
      const isTwin = plural(shown) !== shown && plains.has(plural(shown));
      const own = isTwin ? `${shown}_table` : shown;
      const name = free(isUsed(own, table) ? plainName(`${table.schema}_${table.name}`) : own, taken);
      taken.add(name);
      return [table, name];
    }),
  );
}

/** "one row per order"; "one row per book and author" for a key of columns that refer to others. */
function grainOf({ table, key }: Profile, joins: readonly Join[]): string | undefined {
  if (key.length === 0 || table.kind === 'view') return undefined;
  const isLink = key.length > 1 && key.some((column) => joins.some(({ on }) => on.some(({ from }) => from === column)));
  const parts = isLink
    ? key.map((column) => plainName(column).replace(/^id_|_(id|key|code|no|nr|number)$/, ''))
    : [singular(plainName(table.name))];
  return `one row per ${new Intl.ListFormat('en').format(parts.map(spoken))}`;
}

/** A fact is something that happened or was measured, a dimension something that others refer to or that has a name. */
function typeOf(entity: Draft, isReferenced: boolean): Entity['type'] {
  const { profile, name, dimensions, measures, joins } = entity;
  if (profile.table.kind === 'view') return 'view';
  const tableName = plainName(profile.table.name);
  if (/^(fact|fct|f)_/.test(tableName)) return 'fact';
  if (/^(dim|d)_/.test(tableName)) return 'dimension';
  const all = [...dimensions.values()];
  const hasLabel = all.some((dimension) => dimension.type === 'string' && LABEL.test(dimension.name));
  const hasTime = all.some(
    (dimension) => /^(date|timestamp)$/.test(dimension.type) && !BOOKKEEPING.test(dimension.name),
  );
  const hasSum = measures.some((measure) => measure.type === 'sum');
  const leads = joins.some(({ target }) => target !== name);
  if (hasLabel && (isReferenced || !hasTime)) return 'dimension';
  if ((leads && hasTime) || (hasSum && !hasLabel && (leads || hasTime))) return 'fact';
  return isReferenced && !leads ? 'dimension' : 'table';
}

/** Rows of which a time says that they have ended. */
const ENDED: readonly (readonly [RegExp, string])[] = [
  [/^(deleted|removed)_(at|on)$/, 'not_deleted'],
  [/^(cancell?ed|left|terminated|churned|discontinued)_(at|on)$/, 'active'],
  [/^(closed|resolved)_(at|on)$/, 'open'],
];

/** Segments of the rows that have not ended, unless a value of a category has that name, or may have it. */
function segmentsOf(dimensions: ReadonlyMap<string, Dimension>): readonly Segment[] {
  const all = [...dimensions.values()];
  const isValue = (segment: string) =>
    all.some(({ name, type, sample_values: values }) =>
      values
        ? values.some((one) => one.toLowerCase() === segment)
        : type === 'string' && /(^|_)(status|state)$/.test(name),
    );
  return ENDED.flatMap(([pattern, name]) => {
    const mark = all.find((one) => one.nullable && /^(date|timestamp)$/.test(one.type) && pattern.test(one.name));
    if (mark === undefined || mark.hidden === true || isValue(name)) return [];
    const sql = `${mark.sql === undefined ? mark.name : `{${mark.name}}`} IS NULL`;
    const isDefault = mark.name.startsWith('deleted_');
    return [
      { name, sql, ...(isDefault && { default: true as const }), description: `Rows without ${spoken(mark.name)}` },
    ];
  });
}

/** Tables of what was sold, the surest first. */
const SOLD = ['order', 'sale', 'purchase', 'invoice', 'booking', 'transaction', 'payment'];

/** Calls what is sold in all "revenue", unless a number of a table has that name already. */
function withRevenue(drafts: readonly Draft[]): readonly Draft[] {
  const isNamed = ({ profile, measures }: Draft) =>
    profile.table.kind === 'table' && measures.some((measure) => /(^|_)(revenue|turnover)(_|$)/.test(measure.name));
  if (drafts.some(isNamed)) return drafts;
  const sold = SOLD.map((word) => drafts.find(({ name }) => singular(name) === word)).find((one) =>
    one?.measures.some(isWorth),
  );
  return drafts.map((draft) =>
    draft === sold
      ? {
          ...draft,
          measures: draft.measures.map((one) =>
            isWorth(one) ? { ...one, synonyms: [...(one.synonyms ?? []), 'revenue', 'turnover'] } : one,
          ),
        }
      : draft,
  );
}

/** What a row is worth in all, which its synonym says. */
const isWorth = ({ type, synonyms = [] }: Measure) =>
  type === 'sum' && synonyms.some((word) => word.endsWith(' value'));

/** The entities of the profiles, in their order. */
export function entitiesOf(profiles: readonly Profile[], dialect: SqlDialect, isUsed: IsUsed): readonly Entity[] {
  const names = entityNames(
    profiles.map(({ table }) => table),
    isUsed,
  );
  const plain = profiles.map((profile): Draft => {
    const name = names.get(profile.table) ?? profile.table.name;
    const joins = joinsOf(profile, names);
    const dimensions = dimensionsOf(profile, dialect);
    const grain = grainOf(profile, joins);
    const measures = measuresOf(profile, name, dimensions);
    const segments = segmentsOf(dimensions);
    return { profile, name, ...(grain !== undefined && { grain }), dimensions, measures, joins, segments };
  });
  const drafts = withRevenue(plain);
  const referenced = new Set(
    drafts.flatMap(({ name, joins }) => joins.map(({ target }) => target).filter((target) => target !== name)),
  );
  return drafts.map((draft) => ({ ...draft, type: typeOf(draft, referenced.has(draft.name)) }));
}

/** The content of the entity's file. `schema`: where tables are not looked up without one. */
export function entityFile(
  { profile, name, type, grain, dimensions, measures, joins, segments }: Entity,
  schema: string | undefined,
) {
  const { table, rowCount } = profile;
  return {
    table: table.name,
    ...(name !== table.name && { name }),
    ...(schema !== undefined && { schema }),
    ...(type !== 'table' && { type }),
    ...(grain !== undefined && { grain }),
    ...(rowCount !== undefined && { row_count: rowCount }),
    ...(table.comment !== undefined && { description: table.comment }),
    dimensions: [...dimensions.values()],
    measures,
    ...(joins.length > 0 && { joins }),
    ...(segments.length > 0 && { segments }),
  };
}
