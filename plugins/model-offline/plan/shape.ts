/** Completes a request before names are decided: what its rows are, and whether they are counted, listed or ranked. */
import type { Condition, Figure, Group, Mention, Request } from '../parse/request.ts';
import { type EntityEntry, isPeople, type MeaningOf } from '../words/lexicon.ts';
import { conditionEntities } from './figures.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { isRowRanking, rankingFigure } from './ranking.ts';
import { isAmount, labelOf, mayLack } from './traits.ts';

const NOT_CLEAR = 'I could not tell what you want to see.';

/** What values that are compared are of: "students or seniors" by membership. */
export function comparedIn({ conditions }: Request, { subject, figures }: Request): Group[] {
  const [first] = conditions.filter(({ type }, at) => {
    const joined = conditions[at + 1]?.joined;
    return type === 'is' && (joined === 'or' || (joined && (subject ?? figures[0])));
  });
  const values = (first?.mention.meanings ?? []).filter((one) => one.kind === 'value');
  if (!first || values.length === 0) throw refusal([], 'I cannot tell what to compare with what.');
  return [{ mention: { ...first.mention, meanings: values.map((one) => ({ ...one, kind: 'dimension' as const })) } }];
}

const rowsOf = (entity: EntityEntry, plural = true): Mention => {
  const meaning = { kind: 'entity', entity, rank: 3 } as const;
  return { text: entity.many, plural, meanings: [meaning] };
};
export const ownersOf = (mention: Mention | undefined): EntityEntry[] =>
  (mention?.meanings ?? []).flatMap((one) => (one.kind === 'term' ? [] : [one.entity]));

/** A condition used as a noun, a date, or "who" stands for the rows it is of. */
export function withSubject(request: Request, context: of.PlanContext): Request {
  const { subject, figures, columns, ranking, conditions, groups, periods } = request;
  if (subject && of.entitiesOf(subject).length > 0) return request;
  const ranked = ranking?.key?.mention;
  if (request.who && !subject && columns.length === 0 && ranked) {
    const people = [...context.lexicon.entities.values()].filter(isPeople);
    // "who spent the most" is about the revenue.
    const revenue = (context.lexicon.phrases.get('revenue') ?? []).filter(({ kind }) => kind === 'measure');
    const owners = ownersOf(ranked.meanings.length > 0 ? ranked : { ...ranked, meanings: revenue });
    const isJoined = (one: EntityEntry): boolean =>
      owners.some((owner) => of.distance(context, owner, one) !== undefined);
    return { ...request, subject: rowsOf(of.oneEntity(context, 'who', people.filter(isJoined)), false) };
  }
  const isAmountOnly = figures.every(({ mention }) => mention.meanings.length === 0);
  if (!subject && (!isAmountOnly || columns.length > 0 || ranked)) return request;
  const noun = subject ?? conditions.find(({ type }) => /^(is|equals)$/.test(type))?.mention;
  // "signups per month": rows of what the date is of.
  const hint = [...periods, ...groups].find((one) => one.hint)?.hint;
  const owners = noun ? [...conditionEntities(context, noun)] : [];
  // "how many suites" are not the one type that is called so.
  const isName = noun?.meanings.some((one) => one.kind === 'value' && labelOf(one.entity).includes(one.dimension));
  if (isName && (request.counting || groups.length > 0))
    throw refusal([noun!.text], `I know "${noun!.text}" as the name of one row only.`);
  const found = owners.length > 0 ? owners : hint ? ownersOf({ ...hint, meanings: of.best(hint.meanings) }) : [];
  if (found.length === 0) return request;
  return { ...request, subject: rowsOf(of.oneEntity(context, (noun ?? hint)!.text, found), subject?.plural) };
}

/** "open bills with number and due date": columns to show, where every row has the first of them. */
export function withShown(request: Request): Request {
  const isNever = ({ mention }: Condition): boolean =>
    of.best(mention.meanings).some((one) => one.kind === 'dimension' && mayLack(one.dimension) === false);
  const given = request.conditions.filter(({ isWith }) => isWith);
  if (request.figures.length > 0 || request.counting || !given.some(isNever)) return request;
  const conditions = request.conditions.filter(({ isWith }) => !isWith);
  return { ...request, conditions, shown: [...given.map(({ mention }) => mention), ...(request.shown ?? [])] };
}

/** What is measured. `by`: the ranked or listed thing, by which it is split too. `taken`: it is of the first column. */
export type Shape = Readonly<{ figures: readonly Figure[]; by?: Mention | undefined; taken?: boolean }>;

export function shapeOf(request: Request, context: of.PlanContext): Shape {
  const { figures, subject, columns, ranking, groups, conditions, listing, which, counting } = request;
  const [entity] = of.entitiesOf(subject);
  const thing = subject ?? columns[0];
  if (figures.length > 0) {
    const counts = figures.every(({ mention }) => mention.meanings.some((one) => subject?.meanings.includes(one)));
    return { figures, by: !counts && (listing || which || (columns.length > 0 && ranking)) ? thing : undefined };
  }
  if (isRowRanking(context, request)) return { figures: [] };
  if (ranking) {
    const key = rankingFigure(request, thing !== undefined || groups.length > 0);
    if (key) return { figures: [key], by: thing };
    if (thing && /^(count|often)$/.test(ranking.of ?? '')) {
      const [value] = columns;
      if (!value && ranking.of === 'often')
        return { figures: [{ fn: 'count', mention: rowsOf(childOf(context, thing)) }], by: thing };
      const owner = value && of.oneEntity(context, thing.text, subject ? of.entitiesOf(subject) : ownersOf(value));
      // The most popular type of rooms is one of bookings, not of rooms.
      if (!owner || (ranking.of === 'often' && owner.model.type !== 'fact'))
        throw refusal([thing.text], `Name what is common, such as "most common … of ${thing.text}".`);
      return { figures: [{ fn: 'count', mention: rowsOf(owner) }], by: value, taken: true };
    }
    const named = thing ? ` ${thing.text}` : '';
    if (!thing || !ranking.isSorting)
      throw refusal([], `I cannot tell by what to rank${named}; say it with "by", such as "by number of …".`);
  }
  const count: Figure[] = subject ? [{ fn: 'count', mention: subject }] : [];
  if (request.share || groups.length > 0 || (counting && entity)) {
    // "share of generation" is of what was generated, not of rows.
    if (entity && !counting) checkCountable(subject!, entity);
    if (entity) return { figures: count };
    if (!thing?.meanings.some(isAmount)) throw refusal([], NOT_CLEAR);
    return totalOf(context, thing);
  }
  // "the gross amount invoiced last month": one figure of many rows, not the amounts of each.
  const [column, second] = columns;
  const isName: typeof isCode = ({ entity, dimension }) => labelOf(entity).includes(dimension);
  const isOne = conditions.some((one) => one.type === 'equals' || isOf(one, isCode) || isOf(one, isName));
  const isList = listing || request.which || request.shown || second || ranking || isOne;
  const isOneFigure = column && !(column.plural && subject) && !isList;
  if (isOneFigure && of.best(column.meanings).some(isAmount)) return totalOf(context, column);
  // "cities with an average rent over 1200"
  const bounded = conditions.find(({ type }) => type === 'figure')?.figure;
  if (bounded && subject && column) throw refusal([column.text], NOT_CLEAR);
  if (bounded && thing) return { figures: [bounded], by: thing, taken: true };
  // "customers with at least 5 orders" shows how many; rows without any are listed.
  const numeric = conditions.filter(({ type, comparator, value }) => {
    const holdsForNone = comparator?.startsWith('less') || comparator === 'not_equals' || value === 0;
    return type === 'related' && !(value === 0 && comparator === 'greater_than') && (!subject || !holdsForNone);
  });
  if (numeric.length === 1 && thing) return { figures: [{ fn: 'count', mention: numeric[0]!.mention }], by: thing };
  const isBare = entity && !listing && !request.which && !ranking && columns.length === 0;
  if (isBare) checkCountable(subject!, entity);
  return { figures: isBare && countsByDefault(request, entity) ? count : [] };
}

/** "downtime", "generation": how many there were, or how much of it? */
function checkCountable(subject: Mention, { many }: EntityEntry): void {
  const { text, plural } = subject;
  const isMass = !plural && /(ion|ance|ing|ment|time|age|ory|ock)$/i.test(text);
  // "fees" of a table of invoices for them
  const isMoney = of.best(subject.meanings)[0]?.rank !== 3 && /(fee|fine|charge|cost|refund|expense)s?$/i.test(text);
  if (isMass || isMoney) throw refusal([text], `Say whether you mean the number of ${many} or one of their figures.`);
}

/** "booking fees by channel", "the total amount": all of them, unless the word may be of one. */
function totalOf(context: of.PlanContext, thing: Mention): Shape {
  const isSum =
    /^total /i.test(thing.text) || (thing.plural && /(fee|cost|charge|expense|payment|hour)s$/i.test(thing.text));
  const label = (fn: string): string => `${fn === 'sum' ? 'total' : 'average'} ${thing.text}`;
  const both = ['sum', 'avg'] as const;
  const fn = isSum ? 'sum' : of.asked(context, `fn:${thing.text}`, 'Which figure do you mean?', both, label);
  return { figures: [{ fn, mention: thing }], taken: true };
}

/** What belongs to the rows that are "popular" or "performed most often", where each of it belongs to one of them. */
function childOf(context: of.PlanContext, thing: Mention): EntityEntry {
  const parents = of.entitiesOf(thing);
  const isChild = (one: EntityEntry, parent: EntityEntry): boolean =>
    of.distance(context, one, parent) === 1 && of.distance(context, parent, one) === undefined;
  const children = [...context.lexicon.entities.values()].filter((one) => parents.some((own) => isChild(one, own)));
  return of.asked(context, 'most', `Which ${thing.text} has the most of what?`, children, ({ many }) => many);
}

const isCode = ({ dimension }: MeaningOf<'value'>): boolean => /(no|nr|number|code|tag)$/i.test(dimension.name);
const isOf = ({ mention }: Condition, fits: typeof isCode): boolean =>
  mention.meanings.some((one) => one.kind === 'value' && fits(one));

/** A bare "visits last week" asks how many, a bare "customers in Berlin" which. */
function countsByDefault({ conditions, periods }: Request, { model }: EntityEntry): boolean {
  // "invoice INV-7" is looked up.
  if (conditions.some((one) => one.type !== 'is' || isOf(one, isCode))) return false;
  const isDated = periods.some(({ hint }) => hint);
  if (periods.some(({ text }) => /^(upcoming|future)/i.test(text))) return false;
  return model.type === 'fact' || (!isDated && (periods.length > 0 || conditions.length === 0));
}

export function baseOf({ subject, columns, conditions }: Request, context: of.PlanContext): EntityEntry {
  if (subject) return of.oneEntity(context, subject.text, of.entitiesOf(subject));
  const [column] = columns;
  if (!column) throw refusal([], NOT_CLEAR);
  // "the price of Basic Training": of the row that is called so.
  const called = conditions
    .flatMap(({ mention }) => mention.meanings)
    .filter((one) => one.kind === 'value' && labelOf(one.entity).includes(one.dimension));
  const own = column.meanings.filter(
    (one) => one.kind === 'dimension' && called.some((row) => 'entity' in row && row.entity === one.entity),
  );
  const meanings = own.length > 0 ? own : column.meanings.filter(({ kind }) => kind === 'dimension');
  const found = ownersOf({ ...column, meanings: of.best(meanings) });
  const shared = of.prefer(found, (entity) =>
    columns.every(({ meanings }) => meanings.some((one) => one.kind === 'dimension' && one.entity === entity)),
  );
  const label = ({ many }: EntityEntry): string => `${column.text} of ${many}`;
  return of.asked(context, `dimension:${column.text}`, `Which "${column.text}" do you mean?`, shared, label);
}
