/** Whose attribute is meant where several entities have one of that name, or one is reached in several ways. */
import type { ModelDimension } from '../semantic-layer/index.ts';
import type { Draft, Mention } from './draft.ts';
import { hasKey, labelOf } from './entity-traits.ts';
import type { JoinGraph } from './graph.ts';
import type { EntityEntry, Meaning } from './lexicon.ts';
import { Refuse } from './outcome.ts';

interface Owned {
  readonly entity: EntityEntry;
}

const entitiesOf = (mentions: readonly (Mention | undefined)[]): EntityEntry[] =>
  mentions.flatMap((mention) =>
    (mention?.meanings ?? []).flatMap((meaning: Meaning) => (meaning.kind === 'entity' ? [meaning.entity] : [])),
  );

/** Entities named beside what the rows are of. */
const besides = (draft: Draft): EntityEntry[] => entitiesOf(draft.qualifiers);

const named = (draft: Draft): EntityEntry[] => [
  ...besides(draft),
  ...entitiesOf([draft.head, ...draft.groups.map((group) => ('mention' in group ? group.mention : undefined))]),
];

/**
 * Of attributes named alike: the one of an entity that the question names, else the rows' own, else all that each row
 * has one of. `undefined` where fewer than two come into question.
 */
export function meant<T extends Owned>(
  ways: readonly T[],
  base: EntityEntry,
  draft: Draft,
  graph: JoinGraph,
): T[] | undefined {
  const single = ways.filter((way) => graph.distance(base.name, way.entity.name) !== undefined);
  if (new Set(single.map((way) => way.entity)).size < 2) return undefined;
  const own = single.filter((way) => way.entity === base);
  const beside = single.filter((way) => way.entity !== base && besides(draft).includes(way.entity));
  if (beside.length > 0) return beside;
  if (own.length > 0) return own;
  const other = single.filter((way) => named(draft).includes(way.entity));
  return other.length > 0 ? other : single;
}

type Way = Owned & { readonly dimension?: ModelDimension };

/** Said by its name, the thing itself is meant. */
const isName = ({ entity, dimension }: Way): boolean =>
  dimension !== undefined && hasKey(entity) && labelOf(entity).includes(dimension);

/**
 * Refuses what is reached in several ways that mean different things: the branch of a loan, and the home branch of its
 * member.
 */
export function checkWay(way: Way, base: EntityEntry, draft: Draft, graph: JoinGraph, text: string): void {
  const { entity: target } = way;
  if (target === base) return;
  const roles = graph.roles(base.name, target.name);
  if (roles.length < 2) return;
  const direct = graph.distance(base.name, target.name)!;
  const through = besides(draft).find((entity) => {
    const first = graph.distance(base.name, entity.name);
    const then = graph.distance(entity.name, target.name);
    return entity !== target && entity !== base && first !== undefined && then !== undefined && first + then > direct;
  });
  if (through === undefined && (named(draft).includes(target) || isName(way))) return;
  throw new Refuse(
    [text],
    `${base.many} lead to ${target.many} in several ways (${roles.join(', ')}), and I cannot tell which one "${text}" is about.`,
  );
}
