/** English as the reader knows it: phrases that say what to do, and words that change nothing. No word of any domain. */

export type Aggregate = 'count' | 'count_distinct' | 'sum' | 'avg' | 'min' | 'max';
export type Comparator = 'equals' | 'not_equals' | 'greater_than' | 'greater_or_equal' | 'less_than' | 'less_or_equal';

/** What holds exactly where the comparison does not. */
export const OPPOSITE: Readonly<Record<Comparator, Comparator>> = {
  equals: 'not_equals',
  not_equals: 'equals',
  greater_than: 'less_or_equal',
  greater_or_equal: 'less_than',
  less_than: 'greater_or_equal',
  less_or_equal: 'greater_than',
};

export type Operator =
  | { readonly op: 'aggregate'; readonly fn: Aggregate }
  | {
      readonly op:
        | 'distinct'
        | 'group'
        | 'with'
        | 'without'
        | 'not'
        | 'and'
        | 'or'
        | 'share'
        | 'rate'
        | 'versus'
        | 'change'
        | 'compare';
    }
  | { readonly op: 'list' | 'which' | 'when' | 'whose' | 'that' | 'null' | 'over-time' | 'between' | 'by' | 'each' }
  | {
      readonly op: 'comparator';
      readonly comparator: Comparator;
      readonly suffix?: true;
      readonly of?: readonly string[];
    }
  | {
      readonly op: 'rank';
      readonly direction: 'asc' | 'desc';
      readonly of?: 'time' | 'age' | 'count' | readonly string[];
    }
  | { readonly op: 'direction'; readonly direction: 'asc' | 'desc' }
  | { readonly op: 'sort' | 'only' | 'same' | 'instead' | 'also' | 'about' | 'all' | 'new' | 'amount' | 'breakdown' }
  | { readonly op: 'grain'; readonly grain: 'day' | 'week' | 'month' | 'quarter' | 'year'; readonly grouping?: true }
  | { readonly op: 'change-by'; readonly grain: 'week' | 'month' | 'quarter' | 'year' };
export type OperatorOf<K extends Operator['op']> = Extract<Operator, { op: K }>;

/** Attributes that adjectives are about, by the words that name them. */
const AGE = ['age'];
const WEIGHT = ['weight', 'mass'];
const PRICE = ['price', 'cost', 'fee', 'charge'];
const LENGTH = ['duration', 'length', 'minutes', 'hours', 'days', 'pages', 'distance'];
const HEIGHT = ['height'];
const DISTANCE = ['distance'];

const PHRASES: readonly (readonly [Operator, string])[] = [
  [
    { op: 'aggregate', fn: 'count' },
    'how many|number of|count of|count|total number of|the number of|how often|numbers of',
  ],
  [{ op: 'aggregate', fn: 'sum' }, 'total|sum|sum of|the sum of|how much|total amount of|combined|overall|altogether'],
  [{ op: 'aggregate', fn: 'avg' }, 'average|avg|mean|on average|typical|average of'],
  [{ op: 'aggregate', fn: 'min' }, 'minimum|min|minimum of|minimal'],
  [{ op: 'aggregate', fn: 'max' }, 'maximum|max|maximum of|maximal'],
  [{ op: 'distinct' }, 'distinct|unique|different'],
  [
    { op: 'group' },
    'grouped by|group by|broken down by|break down by|breakdown by|split by|split up by|segmented by|for each|for every|in each|in every|at each|of each|to each|with each|from each|per each|by each|across|across all|per|for all the different',
  ],
  [{ op: 'by' }, 'by'],
  [{ op: 'each' }, 'each|every'],
  [
    { op: 'with' },
    'with|having|has|have|had|who have|who has|who had|that have|that has|that had|which have|which has|contain|contains|containing|contained|include|includes|including|included',
  ],
  [
    { op: 'without' },
    'without|without any|with no|have no|has no|had no|lacking|having no|with zero|without a single|have zero|has zero|do not have|does not have|did not have|do not have any|does not have any|did not have any|have not|has not|had not|have not any|never had|have never had|has never had|with not a single|have not had',
  ],
  [
    { op: 'not' },
    'not|no|non|never|except|except for|excluding|exclude|excludes|other than|apart from|but not|aside from|outside|outside of|neither|nor|ignoring|ignore|leaving out|leave out|not in|not from|besides|not including',
  ],
  [{ op: 'and' }, 'and|as well as|plus|&|,|together with|but|but also'],
  [{ op: 'or' }, 'or|either'],
  [
    { op: 'share' },
    'share|share of|percent|percent of|percentage|percentage of|percentage share|percentages|what percentage of|what percent of|what share of|what proportion of|what fraction of|proportion|proportion of|fraction|fraction of|what part of|portion of|percent share|in percent|as percent|as a percent|distribution in percent',
  ],
  [{ op: 'rate' }, 'rate'],
  [
    { op: 'versus' },
    'versus|vs|v|compared to|compared with|in comparison to|in comparison with|against|relative to|as against|compare to|compare with|compares to|compares with|comparing to',
  ],
  [{ op: 'compare' }, 'compare|comparison of|compare the|comparison between|comparison'],
  [
    { op: 'change' },
    'change|changes|changed|growth|grow|grew|grown|increase|increased|decrease|decreased|difference|develop|developed|growth of|change in|growth in|difference in|increase in|decrease in|drop|dropped|rise|risen|rose|fall|fell|decline|declined',
  ],
  [
    { op: 'list' },
    'list|list all|show all|list of|a list of|list out|enumerate|details of|details for|details|records|rows|show me all',
  ],
  [{ op: 'which' }, 'which|who|what are all|whom'],
  [{ op: 'when' }, 'when'],
  [{ op: 'whose' }, 'whose|where the|where|for which'],
  [{ op: 'that' }, 'that|who|which'],
  [{ op: 'null' }, 'missing|unknown|empty|null|blank|unset|not set|not known|not given|not filled|undefined'],
  [{ op: 'over-time' }, 'over time|trend|trends|time series|timeline|trend of|trend in|the trend of|through time'],
  [{ op: 'between' }, 'between|from'],
  [
    { op: 'comparator', comparator: 'greater_than' },
    'over|above|more than|greater than|larger than|bigger than|higher than|exceeding|exceeds|exceed|in excess of|>|upwards of|beyond',
  ],
  [
    { op: 'comparator', comparator: 'greater_or_equal' },
    'at least|no less than|not less than|minimum of|a minimum of|>=|no fewer than|not fewer than|greater than or equal to|from at least',
  ],
  [{ op: 'comparator', comparator: 'less_than' }, 'under|below|less than|fewer than|lower than|smaller than|<'],
  [
    { op: 'comparator', comparator: 'less_or_equal' },
    'at most|no more than|not more than|up to|<=|maximum of|a maximum of|not over|less than or equal to|no greater than|not above',
  ],
  [{ op: 'comparator', comparator: 'equals' }, 'exactly|equal to|equals|equal|=|precisely'],
  [{ op: 'comparator', comparator: 'not_equals' }, '!=|<>|not equal to|unequal to'],
  [
    { op: 'comparator', comparator: 'greater_or_equal', suffix: true },
    'or more|or higher|or above|or greater|and more|and above|and up|or over|or better',
  ],
  [
    { op: 'comparator', comparator: 'less_or_equal', suffix: true },
    'or less|or fewer|or lower|or below|or under|and below|or worse',
  ],
  [
    { op: 'rank', direction: 'desc' },
    'top|highest|most|largest|biggest|greatest|best|leading|top ranking|maximum number of',
  ],
  [{ op: 'rank', direction: 'asc' }, 'bottom|lowest|least|fewest|smallest|worst|minimum number of'],
  [{ op: 'rank', direction: 'desc', of: 'time' }, 'latest|newest|most recent|last|recent'],
  [{ op: 'rank', direction: 'asc', of: 'time' }, 'earliest|first'],
  [{ op: 'rank', direction: 'asc', of: 'age' }, 'oldest|eldest'],
  [{ op: 'rank', direction: 'desc', of: 'age' }, 'youngest'],
  [{ op: 'rank', direction: 'desc', of: PRICE }, 'most expensive|priciest|costliest|dearest|most costly'],
  [{ op: 'rank', direction: 'asc', of: PRICE }, 'cheapest|least expensive|most affordable'],
  [{ op: 'rank', direction: 'desc', of: LENGTH }, 'longest'],
  [{ op: 'rank', direction: 'asc', of: LENGTH }, 'shortest'],
  [{ op: 'rank', direction: 'desc', of: WEIGHT }, 'heaviest'],
  [{ op: 'rank', direction: 'asc', of: WEIGHT }, 'lightest'],
  [{ op: 'rank', direction: 'desc', of: ['rating', 'score', 'stars'] }, 'best rated|highest rated|top rated'],
  [{ op: 'rank', direction: 'asc', of: ['rating', 'score', 'stars'] }, 'worst rated|lowest rated'],
  [{ op: 'rank', direction: 'desc', of: ['salary', 'pay', 'wage'] }, 'best paid|highest paid|top paid'],
  [{ op: 'rank', direction: 'asc', of: ['salary', 'pay', 'wage'] }, 'worst paid|lowest paid'],
  [{ op: 'rank', direction: 'desc', of: 'count' }, 'most common|most frequent|commonest|most often|most frequently'],
  [{ op: 'rank', direction: 'asc', of: 'count' }, 'least common|least frequent|rarest'],
  [{ op: 'comparator', comparator: 'greater_than', of: AGE }, 'older than'],
  [{ op: 'comparator', comparator: 'less_than', of: AGE }, 'younger than'],
  [{ op: 'comparator', comparator: 'greater_than', of: WEIGHT }, 'heavier than'],
  [{ op: 'comparator', comparator: 'less_than', of: WEIGHT }, 'lighter than'],
  [{ op: 'comparator', comparator: 'greater_than', of: LENGTH }, 'longer than'],
  [{ op: 'comparator', comparator: 'less_than', of: LENGTH }, 'shorter than'],
  [{ op: 'comparator', comparator: 'greater_than', of: PRICE }, 'more expensive than|pricier than|costlier than'],
  [{ op: 'comparator', comparator: 'less_than', of: PRICE }, 'cheaper than|less expensive than'],
  [{ op: 'comparator', comparator: 'greater_than', of: HEIGHT }, 'taller than'],
  [{ op: 'comparator', comparator: 'greater_than', of: DISTANCE }, 'farther than|further than'],
  [{ op: 'sort' }, 'sorted by|sort by|order by|ordered by|ranked by|rank by|sort|in order of|sorted|ranked'],
  [
    { op: 'direction', direction: 'desc' },
    'descending|desc|highest first|largest first|from highest to lowest|most first|newest first|latest first|in descending order|biggest first|from high to low',
  ],
  [
    { op: 'direction', direction: 'asc' },
    'ascending|asc|lowest first|smallest first|from lowest to highest|fewest first|oldest first|alphabetically|in ascending order|in alphabetical order|from low to high',
  ],
  [
    { op: 'grain', grain: 'day', grouping: true },
    'daily|a day|day by day|per day|by day|each day|every day|for each day|by date|per date|day to day',
  ],
  [
    { op: 'grain', grain: 'week', grouping: true },
    'weekly|a week|week by week|per week|by week|each week|every week|for each week',
  ],
  [
    { op: 'grain', grain: 'month', grouping: true },
    'monthly|a month|month by month|per month|by month|each month|every month|for each month|in each month|by months',
  ],
  [
    { op: 'grain', grain: 'quarter', grouping: true },
    'quarterly|a quarter|quarter by quarter|per quarter|by quarter|each quarter|every quarter|for each quarter|in each quarter|by quarters',
  ],
  [
    { op: 'grain', grain: 'year', grouping: true },
    'yearly|a year|annual|annually|year by year|per year|by year|each year|every year|for each year|in each year|per annum|by years',
  ],
  [{ op: 'grain', grain: 'day' }, 'day|days|date'],
  [{ op: 'grain', grain: 'week' }, 'week|weeks'],
  [{ op: 'grain', grain: 'month' }, 'month|months'],
  [{ op: 'grain', grain: 'quarter' }, 'quarter|quarters'],
  [{ op: 'grain', grain: 'year' }, 'year|years'],
  [{ op: 'change-by', grain: 'year' }, 'year over year|year on year|yoy|y o y'],
  [{ op: 'change-by', grain: 'month' }, 'month over month|month on month|mom'],
  [{ op: 'change-by', grain: 'quarter' }, 'quarter over quarter|quarter on quarter|qoq'],
  [{ op: 'change-by', grain: 'week' }, 'week over week|week on week|wow'],
  [{ op: 'only' }, 'only|just|restricted to|limited to|filter to|narrow down to|narrow to'],
  [{ op: 'same' }, 'same|the same|same for|the same for|same thing for|do the same for'],
  [{ op: 'instead' }, 'instead|rather'],
  [{ op: 'also' }, 'also|too|additionally|in addition'],
  [{ op: 'about' }, 'what about|how about|and for|and what about|and how about|now for|and in'],
  [{ op: 'new' }, 'new|brand new|newly added'],
  [{ op: 'breakdown' }, 'breakdown'],
  [{ op: 'all' }, 'all|any|overall total|break down|breakdown of|a breakdown of|split up|overview of|an overview of'],
  [{ op: 'amount' }, 'value|amount|worth|value of|amount of|worth of|the value of|the amount of'],
];

/** Names of money, which say no more than the amount before them. */
export const CURRENCY = new Set('dollar dollars usd euro euros eur pound pounds gbp chf cent cents bucks'.split(' '));

/** Names of the same unit, as stems. */
export const UNITS: readonly (readonly string[])[] = [
  ['second', 'sec'],
  ['minute', 'min'],
  ['hour', 'hr', 'h'],
  ['day'],
  ['week'],
  ['month'],
  ['year', 'yr'],
  ['kilogram', 'kg', 'kilo'],
  ['gram', 'g'],
  ['tonne', 'ton', 't'],
  ['pound', 'lb'],
  ['kilometre', 'kilometer', 'km'],
  ['mile', 'mi'],
  ['metre', 'meter', 'm'],
  ['centimetre', 'centimeter', 'cm'],
  ['page'],
];

/** Words that say nothing about which rows are wanted. */
const HARMLESS = new Set(
  (
    'a an the of in on at for to from is are was were be been being am do does did done would can could shall should may might must ' +
    'i we us our ours my me you your it its they them their there here this these those so then now please kindly thanks thank hi hello hey ' +
    'show tell give get find display see want need know like let make made what how much many question answer data database table ' +
    'as into within during over among with when where than exist exists existing currently ' +
    'look up lookup fetch return report calculate compute determine figure out bring provide return present ' +
    'come comes came coming located based living belong belongs belonging happen happened ' +
    'value values amount figure figures number numbers one ones record recorded entry entries item ' +
    'ever yet already total altogether split broken breakdown down respectively ok okay well oh ' +
    'company business organisation organization system store ' +
    'go went gone having use using used via through per'
  ).split(' '),
);
// Nouns that a domain is likely to own, or that change a number, are not harmless after all.
for (const word of [
  'item',
  'business',
  'store',
  'value',
  'values',
  'amount',
  'total',
  'record',
  'many',
  'much',
  'per',
  'number',
  'numbers',
  'split',
  'used',
  'use',
  'using',
])
  HARMLESS.delete(word);

const EVERYDAY = new Set(
  (
    'place placed make made buy bought purchase purchased borrow borrowed get got sell sold take took taken live lives lived ' +
    'living write wrote written issue issued carry carried receive received bring brought'
  ).split(' '),
);

/** A verb that only says that two things are related, whatever they are. */
export const isEverydayVerb = (word: string): boolean => EVERYDAY.has(word);

export const isHarmless = (word: string): boolean => HARMLESS.has(word);

const byFirst = new Map<string, { words: readonly string[]; operator: Operator }[]>();
for (const [operator, phrases] of PHRASES)
  for (const phrase of phrases.split('|')) {
    const words = phrase.split(' ');
    byFirst.set(words[0]!, [...(byFirst.get(words[0]!) ?? []), { words, operator }]);
  }
for (const list of byFirst.values()) list.sort((a, b) => b.words.length - a.words.length);

/** The longest operator phrase that starts with these words. */
export function readOperator(words: readonly string[], at: number): { operator: Operator; length: number } | undefined {
  for (const { words: phrase, operator } of byFirst.get(words[at] ?? '') ?? [])
    if (phrase.every((word, i) => words[at + i] === word)) return { operator, length: phrase.length };
  return undefined;
}

/** Words of English that are never a misspelt name. */
export const isFunctionWord = (word: string): boolean => HARMLESS.has(word) || byFirst.has(word);
