/** Turns what columns refer to into joins. */
import type { TableDescription } from '../../../kernel/index.ts';
import { free, plainName } from '../../profile-kit/index.ts';
import type { Profile } from '../profile/profile.ts';
import type { Relationship } from '../profile/relationships.ts';

export interface Join {
  readonly name?: string;
  /** Name of an entity. */
  readonly target: string;
  readonly relationship: 'many_to_one' | 'one_to_one';
  readonly on: readonly { readonly from: string; readonly to: string }[];
  readonly description?: string;
}

/** Whether at most one row has the same values in the columns. */
function isUnique({ table: { primaryKey, uniqueKeys = [] }, key }: Profile, columns: readonly string[]): boolean {
  const keys = [primaryKey, key, ...uniqueKeys].filter(({ length }) => length > 0);
  return keys.some((each) => each.every((column) => columns.includes(column)));
}

/** `names`: of entities, by table. Several joins to one entity, and joins to the own one, have names. */
export function joinsOf(profile: Profile, names: ReadonlyMap<TableDescription, string>): Join[] {
  const targetOf = ({ target }: Relationship) => names.get(target) ?? '';
  const known = profile.relationships.filter((relationship) => names.has(relationship.target));
  const times = (target: string) => known.filter((relationship) => targetOf(relationship) === target).length;
  const isNamed = (target: string) => times(target) > 1 || target === names.get(profile.table);
  const taken = new Set(known.map(targetOf).filter((target) => !isNamed(target)));
  return known.map((relationship): Join => {
    const { columns, references, isDeclared } = relationship;
    const target = targetOf(relationship);
    const own = isNamed(target) ? free(plainName(columns.join('_')).replace(/_id$|^id_/, ''), taken) : undefined;
    if (own !== undefined) taken.add(own);
    return {
      ...(own !== undefined && { name: own }),
      target,
      relationship: isUnique(profile, columns) ? 'one_to_one' : 'many_to_one',
      on: columns.map((from, index) => ({ from, to: references[index] ?? '' })),
      ...(!isDeclared && { description: 'Derived from names and values; the database declares no foreign key.' }),
    };
  });
}
