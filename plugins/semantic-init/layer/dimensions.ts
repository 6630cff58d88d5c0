/** Turns the columns of a table into dimensions. */
import type { TableDescription } from '../../../kernel/index.ts';
import { free, isNamedCredential, plainName, spoken, typeOf } from '../../profile-kit/index.ts';
import type { DimensionType } from '../../semantic-layer/index.ts';
import type { SqlDialect } from '../../sql-kit/index.ts';
import type { Profile } from '../profile/profile.ts';

export interface Dimension {
  readonly name: string;
  readonly sql?: string;
  readonly type: DimensionType;
  readonly description?: string;
  readonly primary_key?: true;
  readonly nullable: boolean;
  readonly references?: string | readonly string[];
  readonly hidden?: true;
  readonly unique_count?: number;
  readonly null_count?: number;
  readonly range?: [string, string];
  readonly sample_values?: readonly string[];
  readonly synonyms?: readonly string[];
}

/** `newsletter_opt_in` is also the newsletter, and that somebody has opted in to it. */
function otherNames(name: string, type: DimensionType): readonly string[] {
  const [, what = '', end] = (type === 'boolean' && /^(.+)_(opt_?in|enabled|flag)$/.exec(name)) || [];
  if (what === '') return [];
  return [
    spoken(what),
    ...(/^opt/.test(end ?? '') ? [`opted in to ${spoken(what)}`, `opted in to the ${spoken(what)}`] : []),
  ];
}

/** What the columns of declared foreign keys refer to, as dimensions write it, by column. */
export function referencesOf({ foreignKeys }: TableDescription): ReadonlyMap<string, string | readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { columns, table, references } of foreignKeys) {
    for (const [index, column] of columns.entries()) {
      const text = `${table}.${references[index]}`;
      const known = found.get(column) ?? [];
      if (!known.includes(text)) found.set(column, [...known, text].sort());
    }
  }
  return new Map([...found].map(([column, texts]) => [column, texts.length === 1 ? String(texts[0]) : texts]));
}

/** The meanings of codes that a comment explains: "1 = consumer, 2 = business". */
function labelsIn(comment: string, type: DimensionType): (readonly [code: string, label: string])[] {
  const code = type === 'number' ? '\\d{1,4}' : '[A-Za-z]{1,3}|\\d{1,4}';
  const pairs = comment.matchAll(
    new RegExp(`(?:^|[^\\w.])(${code})\\s*[=:-]\\s*([\\p{L}][\\p{L} _-]{0,38}[\\p{L}])`, 'gu'),
  );
  return Array.from(pairs, ([, found = '', label = '']) => [found, label] as const);
}

/** The dimensions by the names of their columns; computed ones are under another key. */
export function dimensionsOf({ table, columns, key }: Profile, dialect: SqlDialect): ReadonlyMap<string, Dimension> {
  const dimensions = new Map<string, Dimension>();
  const taken = new Set<string>();
  const references = referencesOf(table);
  const { identifier, quoteName } = dialect.rendering;
  for (const column of table.columns) {
    const name = free(plainName(column.name), taken);
    taken.add(name);
    const profile = columns.get(column.name);
    const type = profile?.type ?? typeOf(column, [], dialect);
    const isHidden = profile?.isCredential === true || isNamedCredential(table.name, column.name, type);
    const refers = references.get(column.name);
    const samples = type === 'string' && !isHidden ? profile?.values : undefined;
    const { uniqueCount, nullCount, range } = (isHidden || type === 'json' ? undefined : profile) ?? {};
    const synonyms = otherNames(name, type);
    const isPlain = name === column.name && identifier(name) === name && /^[a-z_][a-z0-9_]*$/.test(name);
    dimensions.set(column.name, {
      name,
      ...(!isPlain && { sql: quoteName(column.name) }),
      type,
      ...(column.comment !== undefined && { description: column.comment }),
      ...(key.includes(column.name) && { primary_key: true as const }),
      nullable: column.nullable,
      ...(refers !== undefined && { references: refers }),
      ...(isHidden && { hidden: true as const }),
      ...(uniqueCount !== undefined && { unique_count: uniqueCount }),
      ...(nullCount !== undefined && { null_count: nullCount }),
      ...(range !== undefined && { range }),
      ...(samples !== undefined && { sample_values: samples }),
      ...(synonyms.length > 0 && !isHidden && { synonyms }),
    });
    const labels = isHidden || !/^(number|string)$/.test(type) ? [] : labelsIn(column.comment ?? '', type);
    if (labels.length > 1) {
      const label = free(/_(code|type|id|no|cd)$/.test(name) ? name.replace(/_[a-z]+$/, '') : `${name}_label`, taken);
      taken.add(label);
      const cases = labels.map(([code, text]) => `WHEN ${type === 'number' ? code : `'${code}'`} THEN '${text}'`);
      dimensions.set(`${column.name}: labels`, {
        name: label,
        sql: `CASE {${name}} ${cases.join(' ')} END`,
        type: 'string',
        nullable: column.nullable,
        sample_values: labels.map(([, text]) => text),
      });
    }
  }
  return dimensions;
}
