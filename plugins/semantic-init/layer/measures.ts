/** Chooses what is counted, added up and averaged of a table. */

import { free, plainName, plural, singular, spoken } from '../profile/names.ts';
import type { Profile } from '../profile/profile.ts';
import type { Dimension } from './dimensions.ts';

export interface Measure {
  readonly name: string;
  readonly type: 'count' | 'count_distinct' | 'sum' | 'avg';
  readonly sql?: string;
  readonly description?: string;
  readonly synonyms?: readonly string[];
}

const named = (...words: readonly string[]) => new RegExp(`(^|_)(${words.join('|')})(_?\\d+)?$`);

/** Names of numbers whose sum and average are meaningless. */
const NO_QUANTITY = named(
  ...[
    'id',
    'ids',
    'uid',
    'pid',
    'gid',
    'no',
    'nr',
    'num',
    'number',
    'code',
    'key',
    'isbn',
    'ean',
    'sku',
    'port',
    'phone',
    'fax',
  ],
  ...[
    'zip',
    'postal_code',
    'lat',
    'latitude',
    'lon',
    'lng',
    'longitude',
    'x',
    'y',
    'z',
    'year',
    'quarter',
    'month',
    'week',
  ],
  ...[
    'day',
    'weekday',
    'hour',
    'minute',
    'epoch',
    'timestamp',
    'position',
    'rank',
    'sort',
    'order',
    'sequence',
    'seq',
    'index',
  ],
  ...[
    'version',
    'revision',
    'floor',
    'level',
    'line',
    'priority',
    'status',
    'state',
    'type',
    'flag',
    'checksum',
    'hash',
    'bits',
  ],
);
/** Names of numbers whose average is meaningful, but not their sum. */
const NO_SUM =
  /(^|_)(rate|ratio|share|percent|percentage|pct|rating|stars|score|grade|age|temperature|temp|humidity|pressure|speed|bmi|height|width|depth|(?<!(^|_)(total|line|extended|sub|net|gross|order|full)_)price|unit_cost|average|mean|median|probability|likelihood|confidence|threshold|multiplier|factor)(_\w{1,3})?$|^(avg|average|mean|median|min|max)_|_per_/;
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
    ([column, dimension]) => !NO_QUANTITY.test(dimension.name) && columns.get(column)?.isFlag !== true,
  );
  for (const [, dimension] of quantities.slice(0, MAX_QUANTITIES)) {
    const sql = sqlOf(dimension);
    // "fine amount" as well as "amount", because several tables may have a column of that name.
    const own = spoken(`${one}_${dimension.name}`);
    const isTotal = /^total(_|$)/.test(dimension.name);
    const sum = isTotal ? `${one}_${dimension.name}` : `total_${dimension.name}`;
    if (!NO_SUM.test(dimension.name)) {
      add({ name: sum, type: 'sum', sql, ...(!isTotal && { synonyms: [own, `total ${own}`] }) });
    }
    add({ name: `average_${dimension.name}`, type: 'avg', sql, synonyms: [`average ${own}`] });
  }
  const find = (pattern: RegExp) =>
    numbers.map(([, dimension]) => dimension).find((dimension) => pattern.test(dimension.name));
  const [quantity, price] = [find(QUANTITY), find(UNIT_PRICE)];
  const hasTotal = numbers.some(([, dimension]) =>
    /(^|_)(total|amount|revenue|subtotal)(_|$)|^(line|extended)_price$/.test(dimension.name),
  );
  if (quantity !== undefined && price !== undefined && relationships.length > 0 && !hasTotal) {
    add({
      name: `total_${one}_value`,
      type: 'sum',
      sql: `{${quantity.name}} * {${price.name}}`,
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
