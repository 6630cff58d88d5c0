/** Turns what is measured into a measure of the layer, a count of rows, or an aggregate over an attribute. */
import type { QueryPlan } from '../../semantic-query/index.ts';
import { type Duration, entitiesIn, type Figure, type Mention } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isPeople, isTime, type Meaning, type MeaningOf } from '../words/lexicon.ts';
import type { Aggregate } from '../words/vocabulary.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { readTerm } from './terms.ts';
import { amountsOf, columnsFor, isAmount, primaryDates, spanOf, worthOf } from './traits.ts';

type Adhoc = NonNullable<QueryPlan['adhocMeasures']>[number];

/** `name`: `entity.measure`, metric id or `entity.count`; unset for an aggregate made on the spot. */
export type PlannedFigure = Readonly<{ entity: EntityEntry; name?: string; adhoc?: Adhoc }>;
type Candidate = { readonly figure: PlannedFigure; readonly rank: number; readonly label: string };

const NAMES = { sum: 'total', avg: 'average', min: 'lowest', max: 'highest', count_distinct: 'distinct' } as const;

function adhoc(type: Adhoc['type'], item: of.Owned, rank = 3): Candidate {
  const isDate = isTime(item.dimension) && type !== 'count_distinct';
  const said = isDate ? (type === 'max' ? 'last' : 'first') : NAMES[type];
  const what = type === 'count_distinct' ? 'number of different values of' : NAMES[type];
  // The total of a "total amount" is said once.
  const once = (text: string): string => text.replace(/^([a-z]+[ _])\1/, '$1');
  const made = { name: once(`${said}_${item.dimension.name}`), type, dimension: of.full(item) };
  return { figure: { entity: item.entity, adhoc: made }, rank, label: once(`${what} ${of.labelOfDimension(item)}`) };
}

/** The average time between two dates of an entity that has both. */
function durations({ unit, from, to }: Duration, near: readonly EntityEntry[]): Candidate[] {
  const said = [from, to].flatMap((one) => one?.meanings ?? []);
  const owners = said.flatMap((one) => ('dimension' in one ? [one.entity] : []));
  const dateIn = (mention: Mention, entity: EntityEntry) =>
    of.best(mention.meanings.filter((one) => one.kind === 'dimension').filter((one) => one.entity === entity))[0]
      ?.dimension;
  return (owners.length > 0 ? [...new Set(owners)] : near.slice(0, 1)).flatMap((entity) => {
    const { since: start, until: end } = spanOf(entity);
    const [since, until] = [from ? dateIn(from, entity) : start, to ? dateIn(to, entity) : end];
    if (!since || !until || since === until || !isTime(since) || !isTime(until)) return [];
    const label = `${unit} from ${of.spoken(since.name)} to ${of.spoken(until.name)}`;
    const [begin, dimension] = [since, until].map((one) => of.full({ entity, dimension: one }));
    const made = { name: `average_${unit}`, type: 'avg', dimension: dimension!, since: begin!, unit } as const;
    return [{ figure: { entity, adhoc: made }, rank: 3, label }];
  });
}

const count = (entity: EntityEntry): Candidate => ({
  figure: { entity, name: `${entity.name}.count` },
  rank: 3,
  label: `number of ${entity.many}`,
});

function fits(meaning: MeaningOf<'measure'>, fn: Aggregate | undefined): boolean {
  const type = meaning.measure?.type;
  if (fn === undefined || type === fn) return true;
  // "number of grants awarded" is no amount awarded.
  if (fn === 'count')
    return (
      type === undefined || (type === 'sum' && meaning.measure?.format !== 'currency') || type === 'count_distinct'
    );
  return fn === 'sum' && type === 'count';
}

/** The figure a question asks for, of what is named near it or can be split as asked; asks where several are left. */
export function figureOf(
  context: of.PlanContext,
  figure: Figure,
  near: readonly EntityEntry[],
  canSplit: (entity: EntityEntry) => boolean = () => true,
): PlannedFigure {
  const { text } = figure.mention;
  const all = candidatesOf(context, figure, near);
  if (all.length === 0) throw refusal([text], `I have no ${figure.fn === 'avg' ? 'average' : 'figure'} of "${text}".`);
  const fitting = of.prefer(all, (one) => canSplit(one.figure.entity));
  const found = of.best(of.prefer(fitting, (one) => near.includes(one.figure.entity)));
  // "amounts" alone may be those of anything.
  const isOpen = near.length === 0 && /^(amounts|totals|values|total (amount|value))$/i.test(text);
  const isSo = ({ type, name }: ModelDimension): boolean =>
    type === 'number' && /(amount|amt|total|value)$/i.test(name);
  const owners = [...context.lexicon.entities.values()].filter(({ dimensions }) => dimensions.some(isSo));
  if (isOpen && owners.length > 1 && found.every(({ rank }) => rank < 3))
    throw refusal([text], `Say whose ${text} you mean.`);
  const isShared = ({ label }: Candidate): boolean => found.filter((one) => one.label === label).length > 1;
  const label = (one: Candidate): string => (isShared(one) ? `${one.label} (${one.figure.entity.many})` : one.label);
  return of.asked(context, `figure:${text}`, `What do you mean by "${text}"?`, found, label).figure;
}

const MONEY = /^(money|spen[dt]|earn|bill|charge|pa(y|id))/i;

/** What "customers spent" or "a product earned" is the layer's revenue; what people earn is their own. */
function moneyOf(context: of.PlanContext, entity: EntityEntry | undefined, text: string): Candidate[] {
  const isEarned = /^earn/i.test(text);
  if (entity && isEarned && isPeople(entity)) return pricesOf(entity);
  if (!entity && !isEarned && !/^(money|bill)/i.test(text)) return [];
  const isOf = (one: Meaning): one is MeaningOf<'measure'> =>
    one.kind === 'measure' && (!entity || of.distance(context, one.entity, entity) !== undefined);
  return declaredIn(of.best((context.lexicon.phrases.get('revenue') ?? []).filter(isOf))).map(ofMeasure);
}

const pricesOf = (entity: EntityEntry): Candidate[] =>
  columnsFor(entity, 'money').map((dimension) => adhoc('sum', { entity, dimension }));

/** A metric and the measure it is made of are one figure. */
const declaredIn = (measures: readonly MeaningOf<'measure'>[]): readonly MeaningOf<'measure'>[] =>
  measures.filter(
    (one) => one.metric !== undefined || !measures.some((other) => other.metric && other.measure === one.measure),
  );

const ofMeasure = ({ entity, name, rank, metric }: MeaningOf<'measure'>): Candidate => ({
  figure: { entity, name },
  rank,
  label: of.spoken(metric?.label ?? name.slice(name.lastIndexOf('.') + 1)),
});

function candidatesOf(context: of.PlanContext, figure: Figure, near: readonly EntityEntry[]): Candidate[] {
  const { fn, mention, duration } = figure;
  if (duration) return durations(duration, near);
  const amounts = (entity: EntityEntry, type: Adhoc['type']): Candidate[] =>
    amountsOf(entity).map((dimension) => adhoc(type, { entity, dimension }));
  const isMoneySaid = mention.meanings.length === 0 && fn === 'sum' && MONEY.test(mention.text);
  if (isMoneySaid && !/ (on|for)$/i.test(mention.text)) return moneyOf(context, near[0], mention.text);
  // "spend on repairs": what these cost.
  if (isMoneySaid) return near.slice(0, 1).flatMap((one) => (one.model.type === 'dimension' ? [] : pricesOf(one)));
  if (mention.meanings.length === 0 && fn === 'avg' && MONEY.test(mention.text))
    return near
      .slice(0, 1)
      .flatMap((entity) => columnsFor(entity, 'money').map((dimension) => adhoc(fn, { entity, dimension })));
  if (mention.meanings.length === 0)
    return fn === undefined || fn === 'count' ? [] : near.slice(0, 1).flatMap((entity) => amounts(entity, fn));
  const measures = mention.meanings.filter((one) => one.kind === 'measure');
  const term = mention.meanings.find((one) => one.kind === 'term');
  if (term && (term.term.status === 'ambiguous' || measures.every(({ rank }) => rank < term.rank))) {
    const { role, label, name = '' } = readTerm(context, term.term);
    const entity = context.lexicon.measures.get(name)?.entity;
    if (role === 'measure' && !entity)
      throw refusal([label], `The layer's meaning of "${label}" names a figure that it does not have.`);
    if (role === 'measure') return [{ figure: { entity: entity!, name }, rank: 3, label }];
  }
  const declared = declaredIn(measures.filter((one) => fits(one, fn)));
  const entities = of.entitiesOf(mention);
  // Rows that are called so come before a figure of other rows.
  const called = Math.max(...entitiesIn(mention).map(({ rank }) => rank));
  const isElsewhere = (rank: number, owner: EntityEntry): boolean => called >= rank && !entities.includes(owner);
  const isPlain = ({ measure, rank, entity }: MeaningOf<'measure'>): boolean =>
    measure?.type === 'count' ? measure.sql === undefined : (fn === 'count' && rank < 3) || isElsewhere(rank, entity);
  if (entities.length > 0 && (fn === undefined || /^(count|count_distinct|sum)$/.test(fn)) && declared.every(isPlain)) {
    // "total invoices": how many there are, or what they come to; a "sum" counts nothing.
    const sums = fn === 'sum' ? entities.flatMap((entity) => amounts(entity, 'sum')) : [];
    return figure.isSum ? sums : [...entities.map(count), ...sums];
  }
  if (declared.length > 0) return declared.map(ofMeasure);
  const dimensions = mention.meanings.filter((one) => one.kind === 'dimension');
  const numbers = mention.meanings.filter(isAmount);
  if (fn === 'avg' || fn === 'min' || fn === 'max') {
    const dates = fn === 'avg' ? [] : dimensions.filter(({ dimension }) => isTime(dimension));
    const found = [...numbers, ...dates].map((one) => adhoc(fn, one, one.rank));
    if (found.length > 0) return found;
    // "the last order" is its date, "the average invoice" its amount.
    return entities.flatMap((entity) =>
      (fn === 'avg' ? (mention.plural || figure.isCount ? [] : worthOf(entity)) : primaryDates(entity)).map(
        (dimension) => adhoc(fn, { entity, dimension }),
      ),
    );
  }
  const isRate = ({ dimension }: of.Owned): boolean => /(^|_)(pct|percent(age)?|rate|ratio)(_|$)/i.test(dimension.name);
  const sums =
    fn === 'count_distinct' ? [] : numbers.filter((one) => !isRate(one)).map((one) => adhoc('sum', one, one.rank));
  if (fn === 'sum' || fn === undefined) return sums;
  // "how many seats": all of them where the layer adds them up, else that or how many different numbers.
  const isAdded = ({ entity, dimension }: of.Owned): boolean =>
    entity.model.measures.some(({ type, sql }) => type === 'sum' && sql === dimension.name);
  const isMoney = ({ entity, dimension }: of.Owned): boolean => columnsFor(entity, 'money').includes(dimension);
  if (fn === 'count' && numbers.some(isMoney)) return [];
  if (fn === 'count' && numbers.length > 0 && numbers.every(isAdded)) return sums;
  // "how many seats": all of them together, or how many different numbers.
  if (dimensions.length > 0) return [...sums, ...dimensions.map((one) => adhoc('count_distinct', one, one.rank))];
  return [...conditionEntities(context, mention)].map(count);
}

/** Entities whose rows a condition used as a noun is about: "cancellations", "seniors". */
export function conditionEntities(context: of.PlanContext, { meanings }: Mention): Set<EntityEntry> {
  const found = meanings.filter(({ kind }) => kind !== 'measure');
  return new Set(found.flatMap((one) => (one.kind === 'term' ? readTerm(context, one.term) : one).entity ?? []));
}

/** How a figure behaves when it is split or added up. */
export const typeOf = ({ lexicon }: of.PlanContext, { adhoc: made, name = '' }: PlannedFigure): Aggregate | 'ratio' =>
  made?.type ?? (name.endsWith('.count') ? 'count' : (lexicon.measures.get(name)?.measure?.type ?? 'ratio'));
