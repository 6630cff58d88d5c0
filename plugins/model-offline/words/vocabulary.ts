/** Knows the English that says what to do with data, and the words that change nothing. No word of any domain. */
import type { Grain } from './layer.ts';

export type Aggregate = 'count' | 'count_distinct' | 'sum' | 'avg' | 'min' | 'max';
export type Comparator = 'equals' | 'not_equals' | 'greater_than' | 'greater_or_equal' | 'less_than' | 'less_or_equal';

/** What a ranking or a bare number is about: "newest", "most common", "best", "cheapest". */
export type Criterion = 'time' | 'count' | 'often' | 'vague' | 'good' | 'age' | 'money' | 'cost' | 'length' | 'weight';

type Words = Readonly<{ fn?: Aggregate; comparator?: Comparator; direction?: 'asc' | 'desc'; grain?: Grain }>;
/** A phrase that says what to do. `suffix`: behind its number, "5 or more"; `of`: what a ranking goes by; `grouping`: splits figures, "monthly". */
export type Operator = Words & Readonly<{ op: string; suffix?: string; of?: Criterion; grouping?: string }>;

/** What an operator is, then the phrases that say it; behind `;` what others say besides. `unread` is never answered. */
const PHRASES = `
op=aggregate fn=count: how many|number of|count of|count|total number of|the number of|how often|numbers of; fn=sum: total|sum|sum of|the sum of|how much|how much money|how much money in|total amount of|combined|altogether; fn=avg: average|avg|mean|on average|typical|average of; fn=min: minimum|min|minimum of|minimal; fn=max: maximum|max|maximum of|maximal; fn=count_distinct: distinct|unique|different
op=group: grouped by|counted by|break that down by|break it down by|break this down by|group by|broken down by|break down by|breakdown by|split by|split up by|segmented by|for each|for every|in each|in every|at each|of each|to each|with each|from each|per each|by each|across|per
op=by: by
op=each: each|every
op=with: with|having|has|have|had|who have|who has|who had|that have|that has|that had|which have|which has|contain|contains|containing|include|includes|including
op=without: without|without any|with no|have no|has no|had no|lacking|having no|with zero|without a single|have zero|has zero|do not have|does not have|did not have|do not have any|does not have any|did not have any|have not|has not|had not|have not any|never had|have never had|has never had|have not had
op=not: not|un|no|no longer|non|never|except|except for|excluding|exclude|excludes|other than|apart from|but not|aside from|outside|outside of|neither|nor|ignoring|ignore|leaving out|leave out|not in|not from|besides|not including
op=and: and|as well as|plus|&|,|together with|but|but also
op=or: or|either
op=share: share|share of|percent of|percentage|percentage of|percentage share|percentages|what percentage of|what percent of|what share of|what proportion of|what fraction of|proportion|proportion of|fraction|fraction of|what part of|portion of|percent share|in percent
op=compare: by how many percent|by what percentage|by how much|compare|comparison of|compared to|compared with|versus|vs|change|changes|changed|difference between|difference|how much more|how many more
op=trend: over time|trend|trends|trend of|the trend of|develop|developed|evolve|evolved|time series
op=more comparator=greater_than: more|more often|higher|greater|larger|bigger; comparator=less_than: fewer|less|less often|lower|smaller
op=than: than
op=order comparator=greater_than: after|later than; comparator=less_than: before|earlier than; comparator=less_or_equal: on or before|no later than|not later than; comparator=greater_or_equal: on or after
op=duration: how long|how long does it take us|how long did it take us|duration|time taken
op=thing: anything|something
op=new: new|brand new
op=unread: as of|at the end of|by the end of|at the start of|at the beginning of|until now|running total|running sum|cumulative|cumulated|comparison|against|relative to|older than|younger than|rate|growth|grow|grew|grown|increase|increased|decrease|decreased|drop|dropped|rise|risen|rose|fall|fell|decline|declined|year over year|yoy|month over month|mom
op=list: list|list all|show all|list of|a list of|list out|details of|details for|details|records|rows|show me all
op=which: which|who|whom
op=whose: whose|where the|where|for which|that
op=null: missing|unknown|empty|null|blank|unset|not set|not known|not given|not filled|undefined
op=between: between|from; of=money: cost between|costs between|costing between|priced between
op=comparator comparator=greater_than: over|above|more than|greater than|larger than|bigger than|higher than|exceeding|exceeds|exceed|in excess of|>|beyond; of=length: longer than; of=weight: heavier than; of=money: more expensive than; of=cost: cost more than|costs more than|costing more than
op=comparator comparator=greater_or_equal: at least|no less than|not less than|minimum of|a minimum of|>=|no fewer than|not fewer than|greater than or equal to; suffix=true: or more|or higher|or above|or greater|and more|and above|and up|or over|or better
op=comparator comparator=less_than: under|below|less than|fewer than|lower than|smaller than|<; of=length: shorter than; of=weight: lighter than; of=money: cheaper than; of=cost: cost less than|costs less than|costing less than
op=comparator comparator=less_or_equal: at most|within|no more than|not more than|up to|<=|maximum of|a maximum of|not over|less than or equal to|not above; suffix=true: or less|or fewer|or lower|or below|or under|and below|or worse
op=comparator comparator=equals: exactly|equal to|equals|equal|=|precisely; comparator=not_equals: !=|<>|not equal to|unequal to
op=rank direction=desc: highest|most|largest|biggest|greatest|maximum number of; of=vague: top|leading; of=good: best; of=money: most expensive|dearest|priciest|costliest|most costly; of=length: longest; of=weight: heaviest; of=time: latest|newest|most recent|most recently|last|recent; of=age: youngest; of=count: most common|most frequent|commonest; of=often: most often|most frequently|most popular
op=rank direction=asc: lowest|least|fewest|smallest|minimum number of; of=vague: bottom; of=good: worst; of=money: cheapest|least expensive; of=length: shortest; of=weight: lightest; of=age: oldest|eldest; of=time: earliest|first; of=count: least common|least frequent|rarest; of=often: least often|least popular
op=when: when
op=sort: sorted by|sort by|order by|ordered by|ranked by|rank by|sort|in order of|sorted|ranked
op=direction direction=desc: descending|desc|highest first|best first|dearest first|largest first|from highest to lowest|most first|in descending order|biggest first|from high to low; direction=asc: ascending|asc|lowest first|smallest first|from lowest to highest|fewest first|alphabetically|in ascending order|in alphabetical order|from low to high
op=only: only|just|restricted to|limited to|filter to|narrow down to
op=same: same|the same|same for|the same for|same thing for|do the same for|what about|how about|and for|and what about|and how about|now for|and in
op=instead: instead|rather
op=also: also|too|additionally|in addition
op=now: currently|still|right now|presently|at the moment|at present
op=all: all|any|at all|overall|over all|how high|how large|how big|with us|have on file|do we have on file|we own|do we own|across all|on file|on record|in our catalogue|in the catalogue|in our catalog|in the catalog|in our system|in the system|in our records|in our books|i e|that is|so far|breakdown|break down|breakdown of|a breakdown of|split up|overview of|an overview of
op=amount: value|amount|worth|money|spend|spends|spent|spending|earn|earns|earned|bill|billed|charge|charged|spend on|spent on|spending on|pay for|paid for|value of|amount of|worth of|the value of|the amount of
op=grain grain=day: day|days|date; grain=week: week|weeks; grain=month: month|months; grain=quarter: quarter|quarters; grain=year: year|years
op=grain grouping=true grain=day: daily|a day|day by day|per day|by day|each day|every day|for each day|by date|per date; grain=week: weekly|a week|week by week|per week|by week|each week|every week|for each week; grain=month: monthly|a month|month by month|per month|by month|each month|every month|for each month|in each month|by months; grain=quarter: quarterly|a quarter|quarter by quarter|per quarter|by quarter|each quarter|every quarter|for each quarter|in each quarter; grain=year: yearly|a year|annual|annually|year by year|per year|by year|each year|every year|for each year|in each year|per annum`;

/** Stems of the names of one currency each. */
export const CURRENCIES = ['dollar usd', 'euro eur', 'pound gbp', 'chf'].map((names) => names.split(' '));
/** Names of money, which say no more than the amount before them. */
export const CURRENCY = new Set(CURRENCIES.flat().flatMap((name) => [name, `${name}s`]));

const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
/** Stems of units, which names of columns end with and numbers are said in. */
const UNITS = new Set(
  `second sec minute hour day night week month year gram kilogram ton tonne kilometre mile metre page percent pct night
kw kwh mw mwh gw gwh watt litre m2 km2 hectare eur euro usd gbp dollar pound cent celsiu`.split(/\s+/),
);
export const isUnit = (stem: string): boolean => UNITS.has(stem);

/** Words that say nothing about which rows are wanted. */
const HARMLESS = wordSet(`
a an the of in on at for to from is are was were be been being am do does did done would can could shall should may might must
i we us our ours my me you your it its they them their there here this these those so then now please kindly thanks thank hi hello hey
show tell give get find display see want need know like let what how question answer data database table
as into within during among when where than exist exists existing
look up lookup fetch return report calculate compute determine figure out bring provide present
come comes came coming gets getting send out named called still located based living belong belongs belonging happen happened
figures one ones recorded entry entries ever yet already single respectively ok okay well oh
company organisation organization system go went gone via through`);

/** Verbs that only say that two things are related, whatever they are. */
const EVERYDAY = wordSet(`
place placed send sends sent make makes made host hosts hosted run ran runs use used uses work works worked assign assigned operate operated operates
report reported reports cause caused handle handled manage managed draw draws drew drawn attract attracted grant granted include included lead leads led involve involved pass passes lasts lasted lasting buy bought purchase purchased borrow borrowed get got sell sold take took taken live lives lived
living write wrote written issue issued gave give given gives held hold holds teach taught perform performed conduct conducted carry carried receive received bring brings brought book booked order ordered offer offered`);

export const isEverydayVerb = (word: string): boolean => EVERYDAY.has(word);
export const isHarmless = (word: string): boolean => HARMLESS.has(word);

const pairs = (text: string) => Object.fromEntries(text.split(' ').map((pair) => pair.split('=')));
const LINES = PHRASES.trim().split('\n');
/** What the first part of a line says holds for the others too. */
const phrases = LINES.flatMap((line) => {
  const parts = line.split('; ').map((part) => part.split(': '));
  return parts.flatMap(([kind = '', said = '']) => {
    const operator: Operator = { ...pairs(parts[0]![0]!), ...pairs(kind) };
    return said.split('|').map((phrase) => ({ words: phrase.split(' '), operator }));
  });
});
const longest = phrases.toSorted((a, b) => b.words.length - a.words.length);
const byFirst = Map.groupBy(longest, ({ words: [first] }) => first!);

/** The longest operator phrase that starts with these words. */
export function readOperator(words: readonly string[], at: number) {
  const found = byFirst.get(words[at] ?? '')?.find((one) => one.words.every((word, i) => words[at + i] === word));
  return found && { operator: found.operator, length: found.words.length };
}

/** Words of English that are never a misspelt name. */
export const isFunctionWord = (word: string): boolean => HARMLESS.has(word) || byFirst.has(word);
const spoken = phrases.flatMap(({ words }) => words);
/** Every word that says what to do, for spelling. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set([...spoken, ...HARMLESS, ...EVERYDAY]);
