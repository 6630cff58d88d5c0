/** Merges a message that goes on from the question before: what it says replaces or adds, the rest stays. */
import { isNumber } from './cursor.ts';
import { type Condition, entitiesIn, type Figure, type Mention, type Ranking, type Request } from './request.ts';

/** Whether the message asks for nothing new, or says that it goes on. */
export function isFollowUp({ followUp, figures, columns, subject }: Request): boolean {
  const isAmount = figures.length === 1 && figures[0]!.mention.meanings.length === 0;
  const isNew = (figures.length > 0 && !isAmount) || columns.length > 0 || subject !== undefined;
  return followUp !== undefined || !isNew;
}

/** Nothing in the message could change the answer before. */
export const isNothing = (next: Request): boolean =>
  Object.entries(next).every(
    ([name, value]) => name === 'followUp' || !value || (Array.isArray(value) && value.length === 0),
  );

const isSame = (a: Mention | undefined, b: Mention | undefined): boolean =>
  a?.meanings.some((one) => b?.meanings.includes(one)) === true;

export function merge(before: Request, next: Request): Request {
  const counted = before.figures.find(({ fn, mention }) => fn === 'count' && entitiesIn(mention).length > 0)?.mention;
  const rows = before.subject ?? counted;
  const subject = [rows, ...before.beside].some((one) => isSame(one, next.subject)) ? undefined : next.subject;
  const [figure] = before.figures;
  // "by units sold" where nothing was ranked, "the price" after a count: that figure instead.
  const key =
    !before.ranking && figure && next.ranking?.isTotal && !next.ranking.isSorting ? next.ranking.key : undefined;
  const [column] = next.columns;
  const number = figure && column?.meanings.some(isNumber) ? column : undefined;
  const isNarrowed = next.conditions.length + next.periods.length > 0;
  const isRows = next.figures.length + next.groups.length === 0 && !next.ranking;
  const asList = isRows && (next.which || (next.listing === true && !isNarrowed));
  const fn = figure?.fn === 'avg' ? 'avg' : 'sum';
  const other: readonly Figure[] = key ? [key] : number ? [{ fn, mention: number }] : [];
  const asked = next.figures.length > 0 ? next.figures : other;
  const isAsked = asked.length > 0;
  const isCounted = (next.counting && rows) || (subject && figure && !next.listing);
  const count: readonly Figure[] = isCounted ? [{ fn: 'count', mention: subject ?? rows! }] : before.figures;
  const isRow = asList || next.counting || asked.some(({ mention }) => mention.meanings.length === 0);
  const isKept = !isAsked && !next.counting;
  // "by year" after "by month of admission" is by year of admission.
  const hint = before.groups.find((group) => group.hint)?.hint;
  const hinted = next.groups.map((group) => ({ ...(hint && { hint }), ...group }));
  const groups = next.followUp === 'add' ? [...before.groups, ...next.groups] : hinted;
  return {
    ...before,
    ...next,
    figures: isAsked ? asked : asList ? [] : count,
    subject: subject ?? (isRow ? rows : before.subject),
    beside: [...before.beside, ...next.beside],
    columns: number || next.columns.length === 0 ? before.columns : next.columns,
    groups: asList ? [] : next.groups.length > 0 ? groups : before.groups,
    conditions: mergedConditions(before.conditions, next.conditions),
    // "and in 2025?" is about the date that the period before was of.
    periods:
      next.periods.length > 0
        ? next.periods.map((one) => ({ ...(!one.of && before.periods[0]), ...one }))
        : before.periods,
    ranking: key ? undefined : asList ? next.ranking : mergedRanking(before, next.ranking),
    portion: next.portion ?? (isAsked ? undefined : before.portion),
    listing: asList || (isKept && (next.listing ?? before.listing ?? false)),
    which: asList || (isKept && (before.which ?? false)),
    compared: next.compared ?? (next.periods.length === 0 && (before.compared ?? false)),
    share: next.share ?? (before.share === true && !next.portion),
  };
}

/** "show 10" after a ranking keeps its order, "by units sold" its length. */
function mergedRanking({ ranking: before, figures }: Request, next: Ranking | undefined): Ranking | undefined {
  const [key] = figures;
  // "top 3" of what was measured.
  if (!before && next?.limit && !next.key && !next.isLimit && key) return { ...next, key, isTotal: true };
  if (!before || !next) return next ?? before;
  const { direction, limit } = next;
  if (next.isLimit) return { ...before, limit: limit! };
  if (limit !== undefined && !next.key) return { ...before, ...(direction && { direction }), limit };
  return next.key && next.isTotal && !next.isSorting
    ? { ...before, key: next.key, isTotal: true }
    : { ...before, isLimit: false, ...next };
}

/** "what about Germany?" takes the place of the other country; what is about something else is added. */
function mergedConditions(before: readonly Condition[], next: readonly Condition[]): Condition[] {
  const isReplaced = (one: Condition): boolean =>
    next.some(
      (other) =>
        other.type === one.type &&
        Boolean(other.negated) === Boolean(one.negated) &&
        attributes(other).some((name) => attributes(one).includes(name)),
    );
  const kept = before.filter((one) => !isReplaced(one));
  // What was joined to a condition that is gone stands alone.
  const alone = kept.map(({ joined: _, ...one }) => one);
  return [...(kept.length === before.length ? kept : alone), ...next];
}

const attributes = ({ type, mention }: Condition): string[] =>
  type === 'related'
    ? [mention.text]
    : mention.meanings.flatMap((one) =>
        one.kind === 'value' || one.kind === 'dimension' ? [`${one.entity.name}.${one.dimension.name}`] : [],
      );
