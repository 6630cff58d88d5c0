/** Merges a message that goes on from the question before: what it says replaces or adds, the rest stays. */
import { isDate, isNumber } from './cursor.ts';
import {
  type Condition,
  entitiesIn,
  type Figure,
  type Mention,
  type Period,
  type Ranking,
  type Request,
} from './request.ts';

/** Whether the message asks for nothing new, or says that it goes on. */
export function isFollowUp({ followUp, figures, columns, subject }: Request): boolean {
  const isNew = figures.some((one) => one.duration || one.mention.meanings.length > 0) || figures.length > 1;
  return followUp !== undefined || !(isNew || columns.length > 0 || subject !== undefined);
}

/** Nothing in the message could change the answer before. */
export const isNothing = ({ followUp: _, all: __, ...next }: Request): boolean =>
  Object.values(next).every((value) => !value || (Array.isArray(value) && value.length === 0));

const isSame = (a: Mention | undefined, b: Mention | undefined): boolean =>
  a?.meanings.some((one) => b?.meanings.includes(one)) === true;

/** `isCorrected`: a date that is named takes the place of the one before, "I meant invoices paid". */
export function merge(before: Request, given: Request, isCorrected = false): Request {
  const moved = isCorrected && before.periods.length > 0 ? given.conditions.find(isDateGiven) : undefined;
  const next = moved ? { ...given, conditions: given.conditions.filter((one) => one !== moved) } : given;
  const counted = before.figures.find(({ fn, mention }) => fn === 'count' && entitiesIn(mention).length > 0)?.mention;
  const rows = counted ?? before.subject;
  // "and overdue invoices?" after their amount is about their amount.
  const owners = entitiesIn(next.subject).map(({ entity }) => entity);
  const isOwned = before.figures.some(({ mention: { meanings } }) =>
    meanings.some((one) => one.kind !== 'term' && owners.includes(one.entity)),
  );
  const isKept =
    (isOwned && (moved ?? next.conditions[0])) || [rows, ...before.beside].some((one) => isSame(one, next.subject));
  const subject = isKept ? undefined : next.subject;
  const [figure] = before.figures;
  const [column] = next.columns;
  // "by units sold" where nothing was ranked, "the price" after a count: that figure instead.
  const key = !before.ranking && figure && next.ranking?.isTotal && !next.ranking.isSorting && next.ranking.key;
  const number = figure && column?.meanings.some(isNumber) ? column : undefined;
  const fn = figure?.fn === 'avg' ? 'avg' : 'sum';
  const other: readonly Figure[] = key ? [key] : number ? [{ fn, mention: number }] : [];
  const asked = next.figures.length > 0 ? next.figures : other;
  const isAsked = asked.length > 0;
  const asList = next.listing === true && !isAsked && next.conditions.length + next.groups.length === 0;
  const isCounted = (next.counting && rows) || (subject && figure && !next.listing);
  const kept = next.counting ? [] : before.figures;
  const count: readonly Figure[] = isCounted ? [{ fn: 'count', mention: subject ?? rows! }] : kept;
  const isRow = asList || next.counting || asked.some(({ mention }) => mention.meanings.length === 0);
  const isSameFigure = !isAsked && !next.counting;
  // "by year" after "by month of admission" is by year of admission, "and in 2025?" about the date of the period before.
  const hint = before.groups.find((group) => group.hint)?.hint;
  const hinted = next.groups.map((group) => ({ ...(hint && { hint }), ...group }));
  const groups = next.followUp === 'add' || next.also ? [...before.groups, ...next.groups] : hinted;
  const said = moved ? before.periods.map((one) => ({ ...one, hint: moved.mention })) : next.periods;
  const dated = said.map((one) => ({
    ...(!one.of && before.periods[0]),
    ...narrowed(before.periods, one, said.length),
  }));
  const isAdded = next.also === true || (next.followUp === 'add' && next.figures.length > 0);
  return {
    ...before,
    ...next,
    figures: isAsked ? [...(isAdded ? before.figures : []), ...asked] : asList ? [] : count,
    subject: subject ?? (isRow ? rows : before.subject),
    beside: [...before.beside, ...next.beside],
    columns: number || next.columns.length === 0 ? before.columns : next.columns,
    groups: asList ? [] : next.groups.length > 0 ? groups : before.groups,
    conditions: mergedConditions(before.conditions, next.conditions, next.also),
    periods: dated.length > 0 ? dated : before.periods,
    ranking: key ? undefined : asList ? next.ranking : mergedRanking(before, next.ranking),
    listing: asList || (isSameFigure && (next.listing ?? before.listing ?? false)),
    which: isSameFigure && (before.which ?? false),
    share: next.share ?? before.share ?? false,
  };
}

const isDateGiven = ({ type, negated, mention }: Condition): boolean =>
  type === 'missing' && negated === true && mention.meanings.every(isDate);

/** "show 10" after a ranking keeps its order, "by units sold" its length. */
function mergedRanking({ ranking: before, figures: [key] }: Request, next: Ranking | undefined): Ranking | undefined {
  const isRest = next?.limit !== undefined && !next.key;
  // "top 3" of what was measured.
  if (!before && isRest && key) return { ...next, key, isTotal: true };
  if (!before || !next) return next ?? before;
  if (isRest)
    return {
      ...before,
      ...(next.direction && next.of !== 'time' && { direction: next.direction }),
      limit: next.limit!,
    };
  return next.key && next.isTotal && !next.isSorting
    ? { ...before, key: next.key, isTotal: true }
    : { ...before, ...next };
}

/** "until June" after "since March" is the other end of it. */
function narrowed([old, more]: readonly Period[], period: Period, count: number): Period {
  const [range, other] = period.phrase;
  const [before, another] = old?.phrase ?? [];
  if (!range || other || !before || another || more || count > 1 || (range.from && range.to)) return period;
  const { from, to } = { ...before, ...range };
  return from && to && from < to ? { ...period, text: `${old!.text} ${period.text}`, phrase: [{ from, to }] } : period;
}

/** "what about Germany?" takes the place of the other country, "also Germany" stands beside it; what is about something else is added. */
function mergedConditions(before: readonly Condition[], next: readonly Condition[], also = false): Condition[] {
  const isSame = (one: Condition, other: Condition): boolean => one.mention.meanings[0] === other.mention.meanings[0];
  const isSimilar = (one: Condition, other: Condition): boolean =>
    other.type === one.type &&
    (Boolean(other.negated) === Boolean(one.negated) || isSame(one, other)) &&
    attributes(other).some((name) => attributes(one).includes(name));
  const kept = before.filter((one) => !next.some((other) => isSimilar(one, other)));
  const plain = kept.length === before.length ? kept : kept.map(({ joined: _, ...one }) => one);
  if (!also) return [...plain, ...next];
  const similar = before.filter((one) => !kept.includes(one));
  return [...plain, ...similar, ...next.map((one) => (similar.length > 0 ? { ...one, joined: 'or' as const } : one))];
}

const attributes = ({ type, mention: { text, meanings } }: Condition): string[] =>
  type === 'related'
    ? [text]
    : meanings.flatMap((one) => ('dimension' in one ? [`${one.entity.name}.${one.dimension.name}`] : []));
