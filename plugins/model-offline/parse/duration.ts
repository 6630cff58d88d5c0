/** Reads an average time between two dates: "how long … on average", "average days from checkout to return". */
import * as at from './cursor.ts';
import { type Figure, unnamed } from './request.ts';

const UNITS = { minute: 'minutes', hour: 'hours', day: 'days' } as const;
type Unit = keyof typeof UNITS;
const opOf = (item: at.Content | undefined): string => item?.operator?.op ?? '';

/** The figure, and the items that are left; `undefined` where the sentence asks for no such time. */
export function durationIn(items: readonly at.Content[]): { figure: Figure; rest: at.Content[] } | undefined {
  const unitOf = ({ kind, operator, tokens: [token] }: at.Content): (typeof UNITS)[Unit] | undefined =>
    kind === 'unknown' || (operator?.grain && !operator.grouping) ? UNITS[token!.stem as Unit] : undefined;
  const isAverage = (item: at.Content): boolean => item.operator?.fn === 'avg';
  // "time to close", but no "delivery time"
  const isLong = (item: at.Content, i = items.indexOf(item)): boolean =>
    opOf(item) === 'duration' ||
    (item.tokens[0]!.word === 'time' && (opOf(items[i + 1]) === 'between' || items[i + 1]?.lead.join() === 'to'));
  const unit = items.map(unitOf).find(Boolean);
  if (!items.some(isAverage) || !(unit || items.some(isLong))) return undefined;
  const isPoint = (item: at.Content | undefined, i: number): boolean =>
    item?.meanings.some((one) => at.isDate(one)) === true &&
    !items[i + 1]?.time &&
    !/^(by|group)$/.test(opOf(items[i - 1]));
  const points = items.filter(isPoint).map((item) => at.mentionOf(item, item.meanings.filter(at.isDate)));
  const isSpan = (item: at.Content, i: number): boolean =>
    /^(between|order)$/.test(opOf(item)) ||
    /^(until|till)$/.test(item.tokens[0]!.word) ||
    (opOf(item) === 'and' && (items[i - 1]?.operator?.fn === 'avg' || isPoint(items[i - 1], i - 1)));
  const isNumber = (item: at.Content, i: number): boolean =>
    item.operator?.fn === 'count' && items[i + 1] !== undefined && unitOf(items[i + 1]!) !== undefined;
  const isUsed = (item: at.Content, i: number): boolean =>
    isAverage(item) || isLong(item) || !!unitOf(item) || [isPoint, isSpan, isNumber].some((is) => is(item, i));
  const [first, second, more] = points;
  const order = items.findIndex((item) => opOf(item) === 'order');
  const isBefore = items[order]?.operator?.comparator?.startsWith('less');
  const said = points.find(({ text }) => text === items[order + 1]?.text);
  const other = points.find((one) => one !== said);
  // "days before the start do we announce it": from the other date, which must be named, to the start.
  if (more || (order >= 0 && !said) || (isBefore && !other)) return undefined;
  const [from, to] =
    order < 0 ? (second ? [first, second] : [undefined, first]) : isBefore ? [other, said] : [said, other];
  const duration = { unit: unit ?? 'days', ...(from && { from }), ...(to && { to }) };
  const figure: Figure = { fn: 'avg', mention: unnamed('duration'), duration };
  return { figure, rest: items.filter((item, i) => !isUsed(item, i)) };
}
