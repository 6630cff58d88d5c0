/** Names the numbers of facts that people ask for. */

import { free, isCopy, singular, spoken } from '../../profile-kit/index.ts';
import type { Entity } from './entity.ts';
import type { Measure } from './measures.ts';

/** Limit for one entity. */
const MAX_METRICS = 12;
const MAX_DIMENSIONS = 8;

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_(usd|eur|gbp|chf|jpy|cad|aud|inr|cny)$/, ''],
  [/(^|_)(pct|percent|percentage)$/, '%'],
  [/_(ms|millis|milliseconds)$/, 'ms'],
  [/_(s|sec|secs|seconds)$/, 's'],
  [/_(min|mins|minutes)$/, 'min'],
  [/_(h|hrs|hours)$/, 'h'],
  [/_days$/, 'days'],
  [/_(kg|km|km2|kwh|mwh|cm|mm|m2|mb|gb|bytes|liters|litres|miles)$/, ''],
];
const MORE_IS_BETTER =
  /(^|_)(revenue|sales|income|profit|margin|earnings|turnover|rating|satisfaction|nps|bookings)(_|$)/;
const LESS_IS_BETTER =
  /(^|_)(cost|expense|refund|refunded|loss|losses|defects?|errors?|failures?|delay|downtime|churn|complaints?|fine|penalty|returned|wasted?|latency)(_|$)/;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function unitOf(column: string): string | undefined {
  const [pattern, unit] = UNITS.find(([each]) => each.test(column)) ?? [];
  if (pattern === undefined) return undefined;
  const [, suffix = ''] = pattern.exec(column) ?? [];
  return unit === ''
    ? suffix.length === 3 && /[a-z]{3}/.test(suffix) && suffix !== 'kwh' && suffix !== 'mwh'
      ? suffix.toUpperCase()
      : suffix
    : unit;
}

/** An average beside a sum says little; that of a rating or price is what people ask for. */
const isAsked = ({ type, sql }: Measure, all: readonly Measure[]) =>
  type !== 'avg' || !all.some((other) => other.type === 'sum' && other.sql === sql);

/** The metrics of an entity; `taken`: ids of others. */
export function metricsOf({ name, type, measures, dimensions }: Entity, taken: Set<string>): Record<string, unknown>[] {
  if (type !== 'fact' || isCopy(name)) return [];
  const groups = [...dimensions.values()]
    .filter(
      (dimension) =>
        !dimension.hidden &&
        (dimension.sample_values !== undefined || /^(date|timestamp|boolean)$/.test(dimension.type)),
    )
    .slice(0, MAX_DIMENSIONS)
    .map((dimension) => dimension.name);
  const one = singular(name);
  return measures
    .filter((measure) => isAsked(measure, measures))
    .slice(0, MAX_METRICS)
    .map((measure) => {
      const [, aggregate = '', rest = measure.name] = /^(total|average)_(.+)$/.exec(measure.name) ?? [];
      const full = rest.startsWith(`${one}_`) ? rest : `${one}_${rest}`;
      const label = aggregate === '' ? full : `${aggregate}_${full}`;
      const id = free(label, taken);
      taken.add(id);
      const unit = /^(sum|avg)$/.test(measure.type) ? unitOf(rest) : undefined;
      const objective = MORE_IS_BETTER.test(rest) ? 'maximize' : LESS_IS_BETTER.test(rest) ? 'minimize' : undefined;
      return {
        id,
        label: capital(spoken(label)),
        ...(measure.description !== undefined && { description: measure.description }),
        entity: name,
        measure: measure.name,
        ...(unit !== undefined && { unit }),
        ...(objective !== undefined && measure.type !== 'count' && { objective }),
        ...(groups.length > 0 && { dimensions: [...groups] }),
      };
    });
}
