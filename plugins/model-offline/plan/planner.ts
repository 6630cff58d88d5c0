/** Holds a plan under construction, and finds the one attribute or entity that a name of the question means. */
import type { QueryPlan } from '../../semantic-query/index.ts';
import { entitiesIn, type Mention, type Request } from '../parse/request.ts';
import type { ModelDimension, PlanFilter } from '../words/layer.ts';
import { type EntityEntry, isTime, type Meaning, type MeaningOf } from '../words/lexicon.ts';
import { spoken } from '../words/words.ts';
import { choose, refusal } from './outcome.ts';
import { readTerm, type TermContext } from './terms.ts';
import { isAmount, labelOf } from './traits.ts';

export type PlanContext = TermContext;
type Lists = Required<Pick<QueryPlan, 'dimensions' | 'filters' | 'segments' | 'excludedSegments' | 'related'>>;
export type Plan = { -readonly [K in keyof QueryPlan]: QueryPlan[K] } & Lists;
export type Owned = Readonly<{ entity: EntityEntry; dimension: ModelDimension }>;

/**
 * `base`: what the rows are of that are counted, measured or listed. `events`: dates that a condition is about; certain
 * where the condition is only that there is one. `several`: entities of which a row may have several.
 */
export type Planner = PlanContext &
  Readonly<{ request: Request; plan: Plan; base: EntityEntry; events: Event[]; several: Set<EntityEntry> }>;
type Event = Owned & { readonly isCertain: boolean };

export const emptyPlan = (): Plan => ({ dimensions: [], filters: [], segments: [], excludedSegments: [], related: [] });

export const full = ({ entity, dimension }: Owned): string => `${entity.name}.${dimension.name}`;
export { spoken };
export const labelOfDimension = ({ entity, dimension }: Owned): string => `${spoken(dimension.name)} of ${entity.many}`;
export const ownerOf = (name: string): string => name.slice(0, name.lastIndexOf('.'));
export const distance = ({ lexicon }: PlanContext, from: EntityEntry, to: EntityEntry): number | undefined =>
  lexicon.graph.distance(from.name, to.name);
export const isRelated = ({ lexicon }: PlanContext, a: EntityEntry, b: EntityEntry): boolean =>
  lexicon.graph.isRelated(a.name, b.name);

export const asked = <T>(
  planner: PlanContext,
  key: string,
  question: string,
  values: readonly T[],
  label: (one: T) => string,
): T => choose(planner.chosen, key.toLowerCase(), question, values, label);

/** Those most directly named. */
export function best<M extends { readonly rank: number }>(meanings: readonly M[]): M[] {
  const top = Math.max(...meanings.map(({ rank }) => rank));
  return meanings.filter(({ rank }) => rank === top);
}
/** Those that pass the test; all where none does. */
export function prefer<T>(all: readonly T[], test: (one: T) => boolean): readonly T[] {
  const some = all.filter(test);
  return some.length > 0 ? some : all;
}

export const entitiesOf = (mention: Mention | undefined): EntityEntry[] =>
  best(entitiesIn(mention)).map(({ entity }) => entity);

/** The one of several entities that a text means; asks where it may mean more than one. */
export function oneEntity(planner: PlanContext, text: string, entities: Iterable<EntityEntry>): EntityEntry {
  const found = [...new Set(entities)];
  if (found.length === 0) throw refusal([text]);
  return asked(planner, `entity:${text}`, `What do you mean by "${text}"?`, found, ({ name }) => name);
}

const besideOf = ({ request }: Planner): EntityEntry[] => request.beside.flatMap(entitiesOf);
const namedIn = ({ request }: Planner): EntityEntry[] =>
  [request.subject, ...request.beside, ...request.groups.map(({ mention }) => mention)].flatMap(entitiesOf);

/**
 * Chooses among meanings named alike: those of an entity named beside the rows, else the rows' own, else those of which each row
 * has one, else any that is related. Derived forms of a name count only where nothing has the name itself.
 */
export function reachable<M extends { readonly entity: EntityEntry; readonly rank: number }>(
  planner: Planner,
  meanings: readonly M[],
): readonly M[] {
  const { base } = planner;
  const related = meanings.filter(({ entity }) => isRelated(planner, base, entity));
  const single = prefer(related, ({ entity }) => distance(planner, base, entity) !== undefined);
  const strong = prefer(single, ({ rank }) => rank >= 2);
  const beside = strong.filter(({ entity }) => entity !== base && besideOf(planner).includes(entity));
  const own = strong.filter(({ entity }) => entity === base);
  const named = strong.filter(({ entity }) => namedIn(planner).includes(entity));
  const meant = [beside, own, named].find((some) => some.length > 0);
  return meant ? best(meant) : strong;
}

/** The attribute a mention names; asks where it names several. */
export function dimensionOf(planner: Planner, mention: Mention, fits: (one: Owned) => boolean = () => true): Owned {
  const { text } = mention;
  // What several tables have is clear where the rows have it themselves: the price of houses, though sales have one too.
  const isOther = (one: Meaning): boolean =>
    one.kind !== 'term' && one.entity !== planner.base && namedIn(planner).includes(one.entity);
  const own = mention.meanings.filter(
    (one) => one.kind === 'dimension' && one.entity === planner.base && (one.rank >= 2 || isAmount(one)),
  );
  const isOwn = own.length > 0 && !mention.meanings.some(isOther);
  const meanings = (isOwn ? own : mention.meanings).flatMap((one): MeaningOf<'dimension'>[] => {
    const meaning = one.kind === 'term' ? readTerm(planner, one.term).meaning : one;
    return meaning?.kind === 'dimension' ? [meaning] : [];
  });
  const found = reachable(planner, meanings.filter(fits));
  if (found.length === 0) throw refusal([text], `I cannot relate "${text}" to ${planner.base.many}.`);
  // Dates of what is reached in fewer steps stand for the row.
  const steps = (one: Owned) => (isTime(one.dimension) ? (distance(planner, planner.base, one.entity) ?? 99) : 0);
  const near = found.filter((one) => steps(one) === Math.min(...found.map(steps)));
  const one = asked<Owned>(planner, `dimension:${text}`, `Which "${text}" do you mean?`, near, labelOfDimension);
  checkWay(planner, one, text);
  return one;
}

/** What the join by a column leads to, which the plan then takes: "by home station" of `home_station_id`. */
export function roleOf(
  { lexicon, plan }: Planner,
  { entity, dimension }: Owned,
  text: string,
): EntityEntry | undefined {
  const found = entity.model.joins.find(
    ({ relationship, on: [pair, more] }) =>
      relationship.endsWith('to_one') && !more && [dimension.name, dimension.sql].includes(pair?.from ?? ''),
  );
  const target = found && lexicon.entities.get(found.target);
  if (!target || /\b(id|key|code|number)s?$/i.test(text)) return undefined;
  if (plan.joinPath || target === entity) throw refusal([text], 'I can read one such role at a time, of other rows.');
  plan.joinPath = [`${entity.name}.${found.name}`];
  return target;
}

/** Refuses what is reached in several ways that mean different things: the branch of a loan, the home branch of its member. */
export function checkWay(
  planner: Planner,
  { entity, dimension }: { readonly entity: EntityEntry; readonly dimension?: ModelDimension },
  text: string,
): void {
  const { base, lexicon } = planner;
  const roles = entity === base ? [] : lexicon.graph.roles(base.name, entity.name);
  if (roles.length < 2) return;
  const isThrough = besideOf(planner).some((by) => ![entity, base].includes(by) && distance(planner, by, entity));
  const isName = dimension !== undefined && labelOf(entity).includes(dimension);
  if (!isThrough && (namedIn(planner).includes(entity) || isName)) return;
  throw refusal(
    [text],
    `${base.many} lead to ${entity.many} in several ways (${roles.join(', ')}), and I cannot tell which one "${text}" is about.`,
  );
}

/** Adds a filter; values of one attribute become a list. */
export function addFilter(plan: Plan, filter: PlanFilter): void {
  const { dimension, operator } = filter;
  const list = [/^(equals|in)$/, /^not_(equals|in)$/].find((shape) => shape.test(operator));
  const at = plan.filters.findIndex((one) => one.dimension === dimension && list?.test(one.operator));
  if (at < 0) plan.filters.push(filter);
  else {
    const values = [...new Set([...(plan.filters[at]!.values ?? []), ...(filter.values ?? [])])];
    const not = operator.startsWith('not') ? 'not_' : '';
    plan.filters[at] = { dimension, values, operator: `${not}${values.length === 1 ? 'equals' : 'in'}` };
  }
}
