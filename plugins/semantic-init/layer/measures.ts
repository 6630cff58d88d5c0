/** Chooses what is counted, added up and averaged of a table. */

import { free, plainName, plural, singular, spoken } from '../../profile-kit/index.ts';
import type { Profile } from '../profile/profile.ts';
import type { Dimension } from './dimensions.ts';

export interface Measure {
  readonly name: string;
  readonly type: 'count' | 'count_distinct' | 'sum' | 'avg';
  readonly sql?: string;
  readonly format?: string;
  readonly additive?: 'not over time';
  readonly description?: string;
  readonly synonyms?: readonly string[];
}

const named = (...words: readonly string[]) => new RegExp(`(^|_)(${words.join('|')})(_?\\d+)?$`);

/** Names of numbers whose sum and average are meaningless. */
const NO_QUANTITY = named(
  'u?id|ids|[pg]id|no|nr|num|number|code|key|isbn|ean|sku|port|phone|fax|zip|postal_code|lat|latitude|lon|lng|longitude|x|y|z',
  'year|quarter|month|week|day|weekday|hour|minute|epoch|timestamp|position|rank|sort|order|sequence|seq|index',
  'version|revision|floor|level|line|priority|status|state|type|flag|checksum|hash|bits',
);
/** A comment that explains values: "1 = consumer, 2 = business". */
const CODES = /(?:^|[^\w.])\d+\s*[=:-]\s*[A-Za-z][^\d]*\b\d+\s*[=:-]\s*[A-Za-z]/;
/** Names of numbers whose average is meaningful, but not their sum. */
const NO_SUM =
  /(^|_)(rate|ratio|share|percent|percentage|pct|bps?|basis_points|rating|stars|score|csat|nps|grade|age|temperature|temp|humidity|pressure|speed|bmi|height|width|depth|(?<!(^|_)(total|line|extended|sub|net|gross|order|full)_)price|unit_cost|average|mean|median|probability|likelihood|confidence|threshold|reorder_point|reorder_level|limit|multiplier|factor)(_\w{1,3})?$|^(avg|average|mean|median|min|max)_|_per_/;
const NO_SUM_COMMENT = /\bbasis points?\b|\bper ?cent(age)?\b|\b(unit price|price per)\b/i;
/** Amounts in the hundredth of a currency. */
const CENTS = /_(cents?|pence|minor(_units?)?)$/;
const CENTS_COMMENT = /\bin (euro ?|us )?(cents|pence)\b/i;
/** Names of states, and of tables that hold them again and again. */
const STATE = /(^|_)(balance|on_hand|in_stock|stock|stock_level|inventory|outstanding|headcount|backlog)(_|$)/;
const STATES = /(^|_)(balance|snapshot|history|level|position|daily|weekly|monthly|eod)s?(_|$)/;
const NEVER_ADDED =
  /\b(never|not|don't|cannot|can't) (be )?(add|sum|total)|\bnot additive\b|\bnon-additive\b|\bsemi-additive\b/i;
/** Names of columns that say what a row is worth in all. */
const WORTH = /^((grand_)?total|(total_|net_|gross_)?(amount|value)|subtotal|line_total)$/;
const QUANTITY = /^(quantity|qty|units|item_count)$/;
const UNIT_PRICE = /^(unit_price|price|price_each|price_per_unit|item_price|sale_price|selling_price)$/;
/** Columns of one table that are added up or averaged. */
const MAX_QUANTITIES = 40;
/** Words for people and organizations, which are counted by what they do. */
const PARTY =
  /(^|_)(customer|client|user|member|account|buyer|seller|patient|student|employee|supplier|vendor|merchant|partner|subscriber|visitor|guest|passenger|donor|tenant|driver|agent|author|company|organi[sz]ation|household|player|borrower|applicant|person|contact|lead|reader|viewer|owner|device|host)$/;

/** The measures; their names differ from those of the dimensions. `name`: of the entity. */
export function measuresOf(profile: Profile, name: string, dimensions: ReadonlyMap<string, Dimension>): Measure[] {
  const { key, relationships, table, columns } = profile;
  const one = singular(name);
  const joined = new Set([
    ...key,
    ...relationships.flatMap((each) => each.columns),
    ...table.foreignKeys.flatMap((each) => each.columns),
  ]);
  const taken = new Set(Array.from(dimensions.values(), (dimension) => dimension.name));
  const measures: Measure[] = [];
  const add = (measure: Measure) => {
    const own = free(measure.name, taken);
    taken.add(own);
    measures.push({ ...measure, name: own });
  };
  const sqlOf = ({ name: own, sql }: Dimension) => (sql === undefined ? own : `{${own}}`);
  const numbers = [...dimensions].filter(
    ([column, { type, hidden }]) => hidden !== true && type === 'number' && !joined.has(column),
  );
  add({ name: `${one}_count`, type: 'count' });
  const quantities = numbers.filter(
    ([column, { name: own, description = '' }]) =>
      !NO_QUANTITY.test(own) && !CODES.test(description) && columns.get(column)?.isCoded !== true,
  );
  const times = [...dimensions].filter(([, { type, hidden }]) => hidden !== true && /^(date|timestamp)$/.test(type));
  const isRepeated = times.some(([column]) => key.includes(column)) || (times.length > 0 && STATES.test(name));
  const amountOf = (dimension: Dimension) => {
    const isCents = CENTS.test(dimension.name) || CENTS_COMMENT.test(dimension.description ?? '');
    const sql = sqlOf(dimension);
    return isCents ? { sql: `${sql} / 100.0`, format: 'currency' } : { sql };
  };
  for (const [, dimension] of quantities.slice(0, MAX_QUANTITIES)) {
    const { description = '' } = dimension;
    const value = amountOf(dimension);
    const base = dimension.name.replace(CENTS, '');
    // "fine amount" as well as "amount", because several tables may have a column of that name.
    const own = spoken(`${one}_${base}`);
    const worth = WORTH.test(base) ? spoken(`${one}_value`) : undefined;
    const words = (...given: readonly (string | undefined)[]) => ({
      synonyms: [...new Set(given)].filter((word) => word !== undefined),
    });
    // What was refunded are the refunds, as a sum of `refund_amount`.
    const [, stem] = /^(?!total|net|gross|sub|grand)([a-z]+)_amount$/.exec(base) ?? [];
    const noun = stem && spoken(plural(stem));
    const isTotal = /^total(_|$)/.test(base);
    const isState = NEVER_ADDED.test(description) || (STATE.test(base) && isRepeated);
    if (!NO_SUM.test(base) && !NO_SUM_COMMENT.test(description) && (!isState || times.length > 0)) {
      const all = isTotal ? words(worth) : words(own, `total ${own}`, worth, noun);
      add({
        name: isTotal ? `${one}_${base}` : `total_${base}`,
        type: 'sum',
        ...value,
        ...(isState && { additive: 'not over time' as const }),
        ...(all.synonyms.length > 0 && all),
      });
    }
    add({ name: `average_${base}`, type: 'avg', ...value, ...words(`average ${own}`, worth && `average ${worth}`) });
  }
  const find = (pattern: RegExp) =>
    numbers.map(([, dimension]) => dimension).find((dimension) => pattern.test(dimension.name.replace(CENTS, '')));
  const [quantity, price] = [find(QUANTITY), find(UNIT_PRICE)];
  const hasTotal = numbers.some(([, dimension]) =>
    /(^|_)(total|amount|revenue|subtotal)(_|$)|^(line|extended)_price$/.test(dimension.name),
  );
  if (quantity !== undefined && price !== undefined && relationships.length > 0 && !hasTotal) {
    add({
      name: `total_${one}_value`,
      type: 'sum',
      ...amountOf(price),
      sql: `{${quantity.name}} * ${amountOf(price).sql === sqlOf(price) ? `{${price.name}}` : `{${price.name}} / 100.0`}`,
      description: `${spoken(quantity.name)} times ${spoken(price.name)}, before discounts and taxes`,
      synonyms: [spoken(`${one}_value`)],
    });
  }
  for (const { columns: from } of relationships) {
    const dimension = from.length === 1 ? dimensions.get(from[0] ?? '') : undefined;
    const party = plainName(from[0] ?? '').replace(/^(id|fk)_|_?(id|key|code|no|nr|number|uuid)$/g, '');
    if (dimension === undefined || dimension.hidden === true || key.includes(from[0] ?? '') || !PARTY.test(party))
      continue;
    const many = spoken(plural(party));
    add({
      name: `${one}_${plural(party)}`,
      type: 'count_distinct',
      sql: sqlOf(dimension),
      description: `Different ${many} among the ${spoken(plural(name))}`,
      synonyms: [`distinct ${many} of ${spoken(plural(name))}`, `unique ${many} of ${spoken(plural(name))}`],
    });
  }
  return measures;
}
