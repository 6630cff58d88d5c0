/** Generates the rows of the `simple` demo: 24 months of a shop, with the same rows on every machine. */
import { cumulate, Random, weigh } from '../random.ts';
import type { DemoContext } from '../table.ts';
import { DAY_MS, dateOf, timestampOf } from '../time.ts';
import { FIRST_NAMES, LAST_NAMES, PLACES, PRODUCTS } from './catalogue.ts';

interface CustomerRow {
  id: number;
  name: string;
  email: string | null;
  phone: string | null;
  segment: 'consumer' | 'small business' | 'enterprise';
  country: string;
  region: string;
  city: string | null;
  /** `YYYY-MM-DD` */
  signup_date: string;
  marketing_opt_in: boolean;
}

interface OrderRow {
  id: number;
  customer_id: number;
  /** `YYYY-MM-DD HH:MM:SS` */
  ordered_at: string;
  status: 'pending' | 'shipped' | 'completed' | 'cancelled' | 'refunded';
  channel: 'web' | 'mobile' | 'store' | 'marketplace';
  payment_method: string;
  /** Sum of the lines' `line_total`; shipping is on top. */
  total_amount: number;
  shipping_cost: number;
  shipped_at: string | null;
  rating: number | null;
}

interface OrderItemRow {
  id: number;
  order_id: number;
  product_name: string;
  category: string;
  quantity: number;
  unit_price: number;
  discount_percent: number | null;
  line_total: number;
}

interface Order {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
}

const CUSTOMERS = 1_000;
const ORDERS = 5_000;
const START = Date.UTC(2024, 10, 1);
/** The day after the last one, 2026-10-31. */
const END = Date.UTC(2026, 10, 1);
const DAYS = (END - START) / DAY_MS;
const FIRST_SIGNUP = Date.UTC(2023, 5, 1);
const PRICE_RISE = Date.UTC(2026, 0, 1);

/** January to December, Sunday to Saturday. */
const MONTH_WEIGHTS = [0.8, 0.8, 0.9, 0.95, 1, 0.95, 0.85, 0.85, 1, 1.05, 1.5, 1.7];
const WEEKDAY_WEIGHTS = [1.15, 1.1, 1, 0.95, 1, 0.9, 0.8];

const SEGMENTS = weigh<CustomerRow['segment']>([
  ['consumer', 78],
  ['small business', 17],
  ['enterprise', 5],
]);
const CHANNELS = weigh<OrderRow['channel']>([
  ['web', 52],
  ['mobile', 27],
  ['store', 13],
  ['marketplace', 8],
]);
const PAYMENTS = weigh([
  ['card', 58],
  ['paypal', 25],
  ['bank transfer', 12],
  ['gift card', 5],
]);
const OUTCOMES = weigh<OrderRow['status']>([
  ['completed', 86],
  ['cancelled', 8],
  ['refunded', 5],
  ['shipped', 1],
]);
const RATINGS = weigh([
  [5, 46],
  [4, 30],
  [3, 13],
  [2, 6],
  [1, 5],
]);
const DISCOUNTS = weigh([
  [5, 30],
  [10, 40],
  [15, 15],
  [20, 10],
  [30, 5],
]);
const LINES = weigh([
  [1, 48],
  [2, 28],
  [3, 14],
  [4, 7],
  [5, 3],
]);
const HOURS = cumulate([1, 1, 0.5, 0.5, 0.5, 1, 2, 4, 6, 8, 9, 9, 10, 9, 8, 8, 8, 9, 11, 13, 14, 12, 8, 4]);

export function customers({ seed, count }: DemoContext): CustomerRow[] {
  return generateCustomers(new Random(seed), count(CUSTOMERS));
}

/** Ordered by id and, so, by time. */
export function* orders({ seed, count }: DemoContext): Generator<Order> {
  const random = new Random(seed);
  const chooseCustomer = customerChooser(random, generateCustomers(random, count(CUSTOMERS)));
  let id = 0;
  let items = 0;
  for (const at of generateOrderTimes(random, count(ORDERS))) {
    const customer = chooseCustomer(at);
    const order = generateOrder(random, ++id, customer, at);
    const lines = generateItems(random, order, customer, at, items);
    items += lines.length;
    const cents = lines.reduce((total, item) => total + Math.round(item.line_total * 100), 0);
    order.total_amount = cents / 100;
    order.shipping_cost = order.channel === 'store' || cents >= 15_000 ? 0 : customer.region === 'Europe' ? 4.9 : 7.9;
    yield { order, items: lines };
  }
}

function generateCustomers(random: Random, count: number): CustomerRow[] {
  const signups = Array.from({ length: count }, () => FIRST_SIGNUP + random.next() * (END - FIRST_SIGNUP));
  signups.sort((a, b) => a - b);
  const taken = new Set<string>();
  const newName = (index: number): string => {
    // There are names for twice the first thousand; every further thousand has initials in between.
    const block = Math.floor(index / CUSTOMERS);
    const initial =
      block === 0 ? ' ' : ` ${String.fromCharCode(65 + (block % 26))}${block < 26 ? '' : Math.floor(block / 26)}. `;
    const name = `${random.pick(FIRST_NAMES)}${initial}${random.pick(LAST_NAMES)}`;
    if (taken.has(name)) return newName(index);
    taken.add(name);
    return name;
  };
  return signups.map((signup, index) => {
    const { country, region, cities } = random.weighted(PLACES);
    const name = newName(index);
    const id = index + 1;
    // Skewed towards the first, the largest city.
    const city = cities[Math.floor(random.next() ** 1.6 * cities.length)] as string;
    return {
      id,
      name,
      email: random.chance(0.06) ? null : `${name.replaceAll('.', '').replaceAll(' ', '.').toLowerCase()}@example.com`,
      phone: random.chance(0.28) ? null : `+${random.integer(1, 99)} 555 ${random.integer(100_000, 999_999)}`,
      segment: random.weighted(SEGMENTS),
      country,
      region,
      city: random.chance(0.04) ? null : city,
      signup_date: dateOf(signup),
      marketing_opt_in: random.chance(0.42),
    };
  });
}

/** Demand grows by half over the two years, peaks before Christmas and on Black Friday, and follows the week. */
function generateOrderTimes(random: Random, count: number): number[] {
  const weights = Array.from({ length: DAYS }, (_, day) => {
    const date = new Date(START + day * DAY_MS);
    const blackFriday = date.getUTCMonth() === 10 && date.getUTCDay() === 5 && Math.ceil(date.getUTCDate() / 7) === 4;
    const season = (MONTH_WEIGHTS[date.getUTCMonth()] as number) * (WEEKDAY_WEIGHTS[date.getUTCDay()] as number);
    return season * (1 + (0.5 * day) / DAYS) * (blackFriday ? 5 : 1);
  });
  const cumulative = cumulate(weights);
  const times = Array.from({ length: count }, () => {
    const seconds = random.index(HOURS) * 3_600 + random.integer(0, 3_599);
    return START + random.index(cumulative) * DAY_MS + seconds * 1_000;
  });
  return times.sort((a, b) => a - b);
}

/** Few customers place most orders, an eighth of them none at all, and none orders before signing up. */
function customerChooser(random: Random, customers: readonly CustomerRow[]): (at: number) => CustomerRow {
  const weights = cumulate(
    customers.map(({ segment }) => {
      if (random.chance(0.125)) return 0;
      const pareto = Math.min(40, 1 / Math.sqrt(1 - random.next()) ** 1.7);
      return pareto * (segment === 'enterprise' ? 3 : segment === 'small business' ? 1.6 : 1);
    }),
  );
  let signedUp = 0;
  return (at) => {
    const today = dateOf(at);
    while (signedUp < customers.length && (customers[signedUp] as CustomerRow).signup_date < today) signedUp++;
    return customers[random.index(weights, signedUp)] as CustomerRow;
  };
}

function generateOrder(random: Random, id: number, customer: CustomerRow, at: number): OrderRow {
  const channel = random.weighted(CHANNELS);
  let status = random.weighted(OUTCOMES);
  const takenMs = channel === 'store' ? 0 : (0.4 + 6 * random.next() ** 2) * DAY_MS;
  const ageMs = END - at;
  // What was ordered last has not arrived yet, or has not even left.
  if (status === 'completed' && channel !== 'store' && ageMs < 12 * DAY_MS) status = 'shipped';
  if (status !== 'cancelled' && takenMs >= ageMs) status = 'pending';
  const shipped = status !== 'pending' && status !== 'cancelled';
  return {
    id,
    customer_id: customer.id,
    ordered_at: timestampOf(at),
    status,
    channel,
    payment_method: random.weighted(PAYMENTS),
    total_amount: 0,
    shipping_cost: 0,
    shipped_at: shipped ? timestampOf(at + takenMs) : null,
    rating: shipped && random.chance(0.45) ? random.weighted(RATINGS) : null,
  };
}

function generateItems(
  random: Random,
  order: OrderRow,
  customer: CustomerRow,
  at: number,
  before: number,
): OrderItemRow[] {
  const season = new Date(at).getUTCMonth() === 10 ? 0.45 : 0.16;
  const largest = customer.segment === 'enterprise' ? 20 : customer.segment === 'small business' ? 8 : 3;
  return Array.from({ length: random.weighted(LINES) }, (_, line) => {
    const { name, category, cents } = random.weighted(PRODUCTS);
    const price = at < PRICE_RISE ? cents : Math.round(cents * 1.04);
    const quantity = 1 + Math.floor(random.next() ** 3 * largest);
    const discount = random.chance(season) ? random.weighted(DISCOUNTS) : null;
    return {
      id: before + line + 1,
      order_id: order.id,
      product_name: name,
      category,
      quantity,
      unit_price: price / 100,
      discount_percent: discount,
      line_total: Math.round((price * quantity * (100 - (discount ?? 0))) / 100) / 100,
    };
  });
}
