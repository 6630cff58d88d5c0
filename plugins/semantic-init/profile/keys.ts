/** Finds the columns that tell the rows of a table apart. */
import type { TableDescription } from '../../../kernel/index.ts';
import { nameKey, plainName } from '../../profile-kit/index.ts';

/** Names of columns that number the rows of something else. */
const LINE = /^(.+_)?(line|row|item|position|pos|seq|sequence)(_?(no|nr|num|number|id))?$/;
const KEY = /^(.+_)?(id|uuid|guid|key|code|no|nr|number)$|[a-z]id$/;
const MAX_PARTS = 6;

/** The declared primary key, else the first unique key without NULL. */
export function declaredKey({ primaryKey, uniqueKeys = [], columns }: TableDescription): readonly string[] {
  if (primaryKey.length > 0) return primaryKey;
  const required = new Set(columns.filter(({ nullable }) => !nullable).map(({ name }) => name));
  return uniqueKeys.find((key) => key.every((column) => required.has(column))) ?? [];
}

/** Whether the database declares keys at all; imported files have none. */
export const hasDeclaredKeys = (tables: readonly TableDescription[]) =>
  tables.some((table) => declaredKey(table).length > 0);

/** Lists of columns that may be the key of a table without a declared one, the likeliest first. */
export function possibleKeys(table: TableDescription, tables: readonly TableDescription[]): readonly string[][] {
  const own = nameKey(plainName(table.name));
  const others = new Set(tables.filter((other) => other !== table).map(({ name }) => nameKey(plainName(name))));
  const stemOf = (name: string) => nameKey(plainName(name).replace(/_?(id|uuid|guid|key|code|no|nr|number)$/, ''));
  const names = table.columns.map(({ name }) => name);
  const rank = (name: string) => {
    if (/^(id|uuid|guid)$/.test(plainName(name))) return 0;
    return stemOf(name) === own ? 1 : 2;
  };
  const single = names
    .filter((name) => KEY.test(plainName(name)) && !others.has(stemOf(name)))
    .sort((a, b) => rank(a) - rank(b));
  const parts = names
    .filter((name) => LINE.test(plainName(name)) || (KEY.test(plainName(name)) && others.has(stemOf(name))))
    .slice(0, MAX_PARTS);
  const pairs = parts.flatMap((first, index) => parts.slice(index + 1).map((second) => [first, second]));
  return [...single.map((name) => [name]), ...pairs, ...(parts.length > 2 ? [parts] : [])];
}
