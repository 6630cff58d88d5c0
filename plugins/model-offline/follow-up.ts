/** A message that goes on from the question before: what it says replaces or adds, the rest stays. */
import type { Condition, Draft, Group, Rank, TimeMention } from './draft.ts';
import type { Sentence } from './read.ts';

/** Whether the message asks for nothing of its own, or says that it goes on. */
export function isFollowUp({ draft }: Sentence): boolean {
  if (draft.followUp !== 'none') return true;
  const asks =
    draft.wants.length > 0 || draft.head !== undefined || draft.noun !== undefined || draft.columns.length > 0;
  return !asks;
}

export function merge(before: Draft, next: Draft): Draft {
  const asksAnew = next.wants.length > 0;
  const asList =
    !asksAnew &&
    next.groups.length === 0 &&
    next.rank === undefined &&
    (next.which === true || (next.listing && next.conditions.length === 0 && next.times.length === 0));
  const head = next.head ?? before.head;
  const newTime = next.times.length > 0;
  const subject = before.head?.meanings.some((meaning) => meaning.kind === 'entity') ? before.head : undefined;
  const wants = asksAnew
    ? next.wants
    : asList
      ? []
      : next.counting && subject
        ? [{ fn: 'count' as const, mention: subject }]
        : before.wants;
  const counted =
    next.head !== undefined &&
    !asksAnew &&
    before.wants.length > 0 &&
    !sameNames(next.head.meanings, before.head?.meanings) &&
    !next.listing;
  return {
    ...before,
    ...next,
    wants: counted ? [{ fn: 'count', mention: next.head! }] : wants,
    ...(head && { head: asksAnew && !next.head ? (before.wants.length > 0 ? dropHead(before, next) : head)! : head }),
    listing: asList || (!asksAnew && (next.listing || before.listing)),
    columns: [...before.columns, ...next.columns],
    groups: asList
      ? []
      : next.groups.length === 0
        ? before.groups
        : next.followUp === 'add'
          ? [...before.groups, ...next.groups]
          : next.groups.map((group) => ofSameHint(group, before.groups)),
    conditions: mergeConditions(before.conditions, next.conditions, next.followUp === 'add'),
    times: newTime ? next.times.map((time) => ofSameDate(time, before.times[0])) : before.times,
    ...(!newTime && before.versus !== undefined && next.versus === undefined && { versus: before.versus }),
    ...(before.rank && next.rank && { rank: mergeRanks(before.rank, next.rank) }),
    share: next.share || before.share,
    qualifiers: [...before.qualifiers, ...next.qualifiers],
  };
}

/** "show 10" after a ranking keeps its order. */
function mergeRanks(before: Rank, next: Rank): Rank {
  if (next.isLimit && next.limit !== undefined) return { ...before, limit: next.limit };
  const { isLimit: _, ...kept } = before;
  return { ...kept, ...next, ...(before.of === undefined ? {} : { of: before.of }) };
}

/** "and in 2025?" is about the date that the period before was of. */
function ofSameDate(time: TimeMention, before: TimeMention | undefined): TimeMention {
  if (time.hint || time.of || before === undefined) return time;
  return { ...time, ...(before.hint && { hint: before.hint }), ...(before.of && { of: before.of }) };
}

/** "by year" after "by month of admission" is by year of admission. */
function ofSameHint(group: Group, before: readonly Group[]): Group {
  const hint = before.flatMap((other) => ('grain' in other && other.hint ? [other.hint] : []))[0];
  return 'grain' in group && !group.hint && hint ? { ...group, hint } : group;
}

/** A new figure over the same conditions keeps the head only where it was more than the thing counted. */
const dropHead = (before: Draft, next: Draft): Draft['head'] => before.head ?? next.head;

const sameNames = (a: readonly { kind: string }[], b: readonly { kind: string }[] | undefined): boolean =>
  b !== undefined && a.some((meaning) => b.includes(meaning));

/** "what about Germany?" takes the place of the other country; what is about something else is added. */
function mergeConditions(before: readonly Condition[], next: readonly Condition[], add: boolean): Condition[] {
  const replaced = (condition: Condition): boolean =>
    !add &&
    next.some(
      (other) =>
        other.type === condition.type &&
        subjects(other).some((name) => subjects(condition).includes(name)) &&
        negated(other) === negated(condition),
    );
  return [...before.filter((condition) => !replaced(condition)), ...next];
}

const negated = (condition: Condition): boolean => 'negated' in condition && condition.negated;

function subjects(condition: Condition): string[] {
  if (condition.type !== 'is' && condition.type !== 'equals' && condition.type !== 'compare') return [];
  return (condition.mention?.meanings ?? []).flatMap((meaning) => {
    if (meaning.kind === 'value' || meaning.kind === 'dimension')
      return [`${meaning.entity.name}.${meaning.dimension.name}`];
    return [];
  });
}
