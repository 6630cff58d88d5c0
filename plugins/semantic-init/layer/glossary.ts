/** Finds words that mean something else in each of several tables, so that the agent asks which one is meant. */

import { nameKey, plural, singular, spoken } from '../../profile-kit/index.ts';
import type { Dimension } from './dimensions.ts';
import type { Entity } from './entity.ts';

/** Meanings of one word: those of facts first. */
const MAX_MEANINGS = 20;
const MAX_TERMS = 40;

/** Words that tell rows apart, describe or place them, or that questions use for something else. */
const CLEAR = new Set(
  `id uuid guid key code ref no nr num number name title label description note comment text body content message slug
  url path file image email mail phone fax address street city country state_code zip region language locale currency
  timezone gender sex color colour first last middle surname username login password token hash position rank sort order
  version active enabled deleted total count sum average minimum maximum year quarter month week day hour minute second
  at on datetime timestamp ts time latitude longitude lat lon lng x y`.split(/\s+/),
);

/** Whether questions use the word for what the dimension says of its rows. */
function isVague(
  { hidden, type, primary_key: isKey, references, sample_values: samples }: Dimension,
  isJoined: boolean,
): boolean {
  if (hidden || isKey || references !== undefined || isJoined) return false;
  return type === 'number' || type === 'date' || type === 'timestamp' || (type === 'string' && samples !== undefined);
}

/** Names that are always of a kind, with or without values. */
const KIND =
  /^(status|state|type|kind|category|class|stage|phase|priority|severity|level|tier|grade|reason|source|channel|method|mode|result|outcome)$/;

/** Terms for single words that are columns of several tables, most of them first. */
export function glossaryOf(entities: readonly Entity[]): Record<string, unknown>[] {
  const names = new Set(entities.flatMap(({ name }) => [nameKey(name), nameKey(name.split('_').at(-1) ?? '')]));
  const owners = new Map<string, Entity[]>();
  for (const entity of entities) {
    if (entity.type === 'view') continue;
    const joined = new Set(entity.joins.flatMap(({ on }) => on.map(({ from }) => from)));
    for (const [column, dimension] of entity.dimensions) {
      const { name, hidden } = dimension;
      if (name.includes('_') || CLEAR.has(name) || names.has(nameKey(name))) continue;
      const isKind = KIND.test(name) && !hidden && dimension.type === 'string' && !joined.has(column);
      if (isKind || isVague(dimension, joined.has(column))) owners.set(name, [...(owners.get(name) ?? []), entity]);
    }
  }
  return [...owners]
    .filter(([, all]) => all.length > 1)
    .sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
    .slice(0, MAX_TERMS)
    .map(([term, all]) => ({
      term,
      status: 'ambiguous',
      meanings: [...all]
        .sort((a, b) => Number(b.type === 'fact') - Number(a.type === 'fact'))
        .slice(0, MAX_MEANINGS)
        .map(({ name }) => ({
          name: spoken(`${singular(name)}_${term}`),
          description: `the ${term} of ${spoken(plural(name))}`,
          entity: name,
          dimension: term,
        })),
    }));
}
