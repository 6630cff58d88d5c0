/** Says which arguments of ClickHouse's functions are refused. */
import type { Call, Expr } from '../../ast/tree.ts';
import { wordSet } from '../infallible.ts';
import type { ArgumentProblem } from '../sql-dialect.ts';
import { isClickhouseAggregate } from './aggregates.ts';
import { clickhouseHigherOrder } from './functions.ts';
import { isTypeText, isZone, namesState } from './types.ts';

/** Functions whose first argument names an aggregate as a text. */
const NAMING = wordSet('arrayReduce arrayReduceInRanges initializeAggregation');

/** Functions that are given a type as a text. */
const TYPED = wordSet(
  `accurateCast accurateCastOrNull accurateCastOrDefault reinterpret JSONExtract JSONExtractCaseInsensitive
  JSONExtractKeysAndValues JSONExtractKeysAndValuesCaseInsensitive dynamicElement variantElement`,
);

/** Functions, by their names in lower case without underscores, and which of their arguments the first time zone may be. */
const ZONED: readonly (readonly [RegExp, number])[] = [
  [/^(?:now|localtime|localtimestamp|currenttimestamp)$/, 0],
  [/^(?:datediff|timestampdiff|age|hop|windowid)/, 3],
  [/^makedatetime64/, 8],
  [/^makedatetime/, 6],
  [/^(?:datetrunc|datename|dateformat|formatdatetime|parsedatetime(?!.*besteffort)|strtodate|tumble)/, 2],
  [/^(?:fromunixtime(?!stamp64)|tostartofinterval|timebucket|datebin|add|subtract)/, 2],
  [/^(?:year|quarter|month|week|yearweek|day|dayof\w+|hour|minute|second|millisecond|microsecond|nanosecond)$/, 1],
  [/^(?:date|lastday|timezone|todatetime\w*ordefault|unixtimestamp|timeslot$|parsedatetime|yyyymmddhhmmss)/, 1],
  [
    /^to(?!\w+ordefault|decimal|interval$|ken|plevel|pk|base64)|^(?:now64|fromunixtimestamp64|snowflake|uuidv7to|fromutc|datetime64to)/,
    1,
  ],
];

/** Functions of which the result is a point in time, and so no time zone. */
const POINT = /^(?:toDate|toStartOf|today|yesterday|now|makeDate|parseDateTime)/;

const zonesFrom = (name: string): number | undefined => {
  const plain = name.toLowerCase().replaceAll('_', '');
  return ZONED.find(([names]) => names.test(plain))?.[1];
};

/** Whether it stands for columns of what FROM shows, of which there may be any number. */
const isColumns = (expr: Expr) => expr.kind === 'form' && /^(?:COLUMNS\(|\S+\.\*)/.test(String(expr.parts[0]));

function isNoZone(arg: Expr): boolean {
  if (arg.kind === 'string') return isZone(arg.value);
  if (arg.kind === 'prefix') return arg.operand.kind === 'number';
  return arg.kind === 'number' || arg.kind === 'constant' || (arg.kind === 'call' && POINT.test(arg.name));
}

/** What is named must be as harmless as what is called. */
export function argumentProblem({ name, args, star }: Call): ArgumentProblem | undefined {
  const [named] = args;
  const zones = zonesFrom(name);
  const isPlaced = zones !== undefined || NAMING.has(name) || TYPED.has(name) || clickhouseHigherOrder.has(name);
  if (isPlaced && (star || args.some(isColumns))) {
    return { what: `${name} takes no list of columns`, hint: 'Name each column.' };
  }
  const called = named?.kind === 'string' ? /^(\w+)(?:\([\d., ]*\))?$/.exec(named.value)?.[1] : undefined;
  if (NAMING.has(name) && (called === undefined || !isClickhouseAggregate(called))) {
    return {
      what: `${name} does not name an aggregate that may be called`,
      hint: "For example arrayReduce('sum', values).",
    };
  }
  // A bare name that is no column is a function there, whichever it is.
  if (clickhouseHigherOrder.has(name) && args.length > 1 && args[0]?.kind === 'name') {
    return { what: `${name} takes a function by its name`, hint: `Write ${name}(x -> …, list).` };
  }
  const type = name.startsWith('JSONExtract') ? args.at(-1) : args[1];
  if (TYPED.has(name) && (type?.kind !== 'string' || !isTypeText(type.value))) {
    return { what: `The type of ${name} is no plain text`, hint: "For example accurateCastOrNull(value, 'Int32')." };
  }
  // States of aggregates are bytes that the engine trusts.
  if (args.some((arg) => arg.kind === 'string' && namesState(arg.value))) {
    return { what: 'A state of an aggregate cannot be made of other values', hint: 'Use a -State function.' };
  }
  // The engine keeps each time zone that it has met in memory, and opens the file that one names.
  if (zones !== undefined && !args.slice(zones).every(isNoZone)) {
    return { what: `The time zone of ${name} is not written out by its name`, hint: "For example 'Europe/Rome'." };
  }
  return undefined;
}
