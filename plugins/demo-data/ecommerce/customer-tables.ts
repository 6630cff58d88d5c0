/** Declares customers and what belongs to them: addresses, loyalty, subscriptions, gift cards, former systems. */
import { weigh } from '../random.ts';
import { boolean, date, decimal, defineTable, integer, key, nullable, ref, text, timestamp, unique } from '../table.ts';
import { DAY_MS, dateOf, timestampOf } from '../time.ts';
import { COUNTRIES, FIRST_NAMES, LAST_NAMES } from './catalogue.ts';
import { orders } from './order.ts';
import { type Customer, END, FOUNDED, type Shop, START, shopOf } from './shop.ts';

const STREETS = [
  'Main Street',
  'Station Road',
  'Park Avenue',
  'Mill Lane',
  'High Street',
  'Lindenweg',
  'Rue Victor Hugo',
];
const PLANS: readonly [code: string, price: number, interval: 'monthly' | 'yearly'][] = [
  ['PLUS_M', 6.9, 'monthly'],
  ['PLUS_Y', 69, 'yearly'],
  ['COFFEE_M', 24, 'monthly'],
  ['BEAUTY_M', 19, 'monthly'],
];
const LAST_LOGINS = weigh([
  [3, 25],
  [30, 35],
  [200, 25],
  [500, 15],
]);

export function* customers(shop: Shop): Generator<Customer> {
  for (let id = 1; id <= shop.customerCount; id++) yield shop.customer(id);
}

const isMember = ({ id, isTest }: Customer) => id % 3 === 1 && !isTest;
export const homeAddress = (customer: number): number => customer * 3 - 2;
const emailOf = ({ id, firstName, lastName, isTest }: Customer) =>
  isTest ? `qa+${id}@shop.example` : `${firstName}.${lastName}${id}@mail.example`.toLowerCase();

interface Points {
  readonly customer: number;
  readonly order: number;
  readonly points: number;
  readonly reason: 'EARN' | 'REDEEM' | 'REVERSE';
  readonly at: number;
}

function* points(shop: Shop): Generator<Points> {
  for (const { id, customer, netUsd, deliveredAt, returnReceivedAt } of orders(shop)) {
    if (deliveredAt === null || !isMember(customer)) continue;
    const entry = { customer: customer.id, order: id };
    const earned = Math.floor(netUsd);
    yield { ...entry, points: earned, reason: 'EARN', at: deliveredAt };
    if (returnReceivedAt !== null) yield { ...entry, points: -earned, reason: 'REVERSE', at: returnReceivedAt };
    else if (id % 7 === 0 && earned > 100)
      yield { ...entry, points: -100, reason: 'REDEEM', at: Math.min(END - 1_000, deliveredAt + 20 * DAY_MS) };
  }
}

export const customerTables = [
  defineTable({
    name: 'customers',
    comment: 'People with a login in the shop. Companies are in accounts.',
    columns: {
      id: key(),
      account_id: nullable(ref('accounts', integer('The company that the person buys for.'))),
      segment_id: ref('customer_segments'),
      first_name: text(),
      last_name: text(),
      email: unique(text()),
      phone: nullable(text()),
      country_code: ref('countries.code', text()),
      status_code: text('A active, I inactive, B blocked'),
      is_test: boolean('Accounts of testers. Left out of reports.'),
      marketing_opt_in: boolean(),
      birth_date: nullable(date()),
      created_at: timestamp('When the person signed up.'),
      last_login_at: nullable(timestamp()),
      deleted_at: nullable(timestamp('Set when the person closed the login.')),
    },
    indexes: [['created_at']],
    *rows(context) {
      for (const customer of customers(shopOf(context))) {
        const { id, accountId, segment, firstName, lastName, country, isTest, createdAt, deletedAt } = customer;
        const random = context.random('person', id);
        const loginAt = Math.max(createdAt, (deletedAt ?? END) - random.next() * random.weighted(LAST_LOGINS) * DAY_MS);
        yield {
          id,
          account_id: accountId,
          segment_id: segment,
          first_name: firstName,
          last_name: lastName,
          email: emailOf(customer),
          phone: random.chance(0.34) ? null : `+${random.integer(1, 99)} 555 ${random.integer(100_000, 999_999)}`,
          country_code: country.code,
          status_code: deletedAt !== null ? 'I' : random.chance(0.02) ? 'B' : random.chance(0.05) ? 'I' : 'A',
          is_test: isTest,
          marketing_opt_in: random.chance(0.46),
          birth_date: random.chance(0.42) ? null : dateOf(Date.UTC(1950, 0, 1) + random.next() * 20_000 * DAY_MS),
          created_at: timestampOf(createdAt),
          last_login_at: random.chance(0.07) ? null : timestampOf(loginAt),
          deleted_at: deletedAt === null ? null : timestampOf(deletedAt),
        };
      }
    },
  }),
  defineTable({
    name: 'addresses',
    comment: 'Addresses that customers entered.',
    columns: {
      id: key(),
      customer_id: ref('customers'),
      kind: text('shipping or billing'),
      line1: text(),
      city: text(),
      postal_code: nullable(text()),
      country_code: ref('countries.code', text()),
      is_default: boolean(),
      created_at: timestamp(),
      deleted_at: nullable(timestamp()),
    },
    *rows(context) {
      for (const { id, country, city, createdAt } of customers(shopOf(context))) {
        const random = context.random('address', id);
        const address = (number: number, kind: string) => ({
          id: homeAddress(id) + number,
          customer_id: id,
          kind,
          line1: `${random.integer(1, 180)} ${random.pick(STREETS)}`,
          city: number === 0 ? city : random.pick(country.cities),
          postal_code: random.chance(0.05) ? null : String(random.integer(10_000, 99_999)),
          country_code: country.code,
          is_default: number === 0,
          created_at: timestampOf(createdAt + number * 1_000),
          deleted_at:
            number === 1 && random.chance(0.15) ? timestampOf(createdAt + random.next() * (END - createdAt)) : null,
        });
        yield address(0, 'shipping');
        if (random.chance(0.3)) yield address(1, random.chance(0.6) ? 'billing' : 'shipping');
      }
    },
  }),
  defineTable({
    name: 'loyalty_members',
    comment: 'Customers in the loyalty program.',
    columns: {
      customer_id: key(ref('customers')),
      tier: text('basic, silver or gold'),
      points_balance: integer('Sum of the transactions.'),
      joined_on: date(),
      left_on: nullable(date()),
    },
    *rows(context) {
      const shop = shopOf(context);
      const balances = new Map<number, number>();
      for (const { customer, points: earned } of points(shop))
        balances.set(customer, (balances.get(customer) ?? 0) + earned);
      for (const customer of customers(shop)) {
        if (!isMember(customer)) continue;
        const points_balance = balances.get(customer.id) ?? 0;
        yield {
          customer_id: customer.id,
          tier: points_balance >= 2_000 ? 'gold' : points_balance >= 600 ? 'silver' : 'basic',
          points_balance,
          joined_on: dateOf(customer.createdAt),
          left_on: customer.deletedAt === null ? null : dateOf(customer.deletedAt),
        };
      }
    },
  }),
  defineTable({
    name: 'subscriptions',
    comment: 'Memberships and regular deliveries that customers pay for.',
    columns: {
      id: key(),
      customer_id: ref('customers'),
      plan_code: text(),
      status: text('active, paused, cancelled or trial'),
      billing_interval: text('monthly or yearly'),
      price_usd: decimal('For one interval.'),
      started_on: date(),
      cancelled_on: nullable(date()),
    },
    *rows(context) {
      const shop = shopOf(context);
      let id = 0;
      for (const { id: customer_id, createdAt, deletedAt } of customers(shop)) {
        const random = context.random('subscription', customer_id);
        if (deletedAt !== null || !random.chance(0.11)) continue;
        const [plan_code, price_usd, billing_interval] = random.pick(PLANS);
        const started = Math.max(createdAt, START) + random.next() * 0.8 * (END - Math.max(createdAt, START));
        const ended = random.chance(0.35) ? started + random.next() * (END - started) : null;
        const other = random.chance(0.06) ? 'paused' : started > END - 30 * DAY_MS ? 'trial' : 'active';
        yield {
          id: ++id,
          customer_id,
          plan_code,
          status: ended === null ? other : 'cancelled',
          billing_interval,
          price_usd,
          started_on: dateOf(started),
          cancelled_on: ended === null ? null : dateOf(ended),
        };
      }
    },
  }),
  defineTable({
    name: 'gift_cards',
    comment: 'Gift cards that were sold. Selling one is no revenue; paying with it is.',
    columns: {
      id: key(),
      code: unique(text()),
      purchased_by: nullable(ref('customers')),
      initial_amount: decimal('In its currency.'),
      balance: decimal('What is left of it.'),
      currency_code: ref('currencies.code', text()),
      issued_on: date(),
      expires_on: nullable(date()),
      is_active: boolean(),
    },
    *rows(context) {
      const shop = shopOf(context);
      for (let id = 1; id <= context.count(190); id++) {
        const random = context.random('gift-card', id);
        const { currency } = random.weighted(COUNTRIES);
        const amount = random.pick([25, 50, 50, 100, 150]) * (currency === 'JPY' ? 100 : 1);
        const issued = START + random.next() * (END - START);
        const balance = random.chance(0.45) ? 0 : random.chance(0.5) ? amount : Math.round(amount * random.next());
        yield {
          id,
          code: `GC-${String(id * 7_919).padStart(8, '0')}`,
          purchased_by: random.chance(0.2) ? null : random.integer(1, Math.max(1, Math.floor(shop.customerCount / 2))),
          initial_amount: amount,
          balance,
          currency_code: currency,
          issued_on: dateOf(issued),
          expires_on: random.chance(0.3) ? null : dateOf(issued + 365 * DAY_MS),
          is_active: balance > 0,
        };
      }
    },
  }),
  defineTable({
    name: 'crm_contacts',
    comment: 'Copy of contacts of the former CRM, from October 2024. Not maintained; customers are in customers.',
    columns: {
      contact_id: key(),
      email: text(),
      full_name: nullable(text()),
      country: nullable(text('As it was typed.')),
      active: text('Y or N'),
      source: nullable(text()),
      imported_on: date(),
    },
    *rows(context) {
      const shop = shopOf(context);
      for (let id = 1; id <= context.count(450); id++) {
        const random = context.random('contact', id);
        const customer = shop.customer(random.integer(1, Math.max(1, Math.floor(shop.customerCount * 0.45))));
        const isKnown = random.chance(0.6);
        const name = isKnown
          ? `${customer.firstName} ${customer.lastName}`
          : `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
        const typed =
          customer.country.code === 'US' ? random.pick(['USA', 'US', 'United States', 'usa']) : customer.country.name;
        yield {
          contact_id: id,
          email: isKnown ? emailOf(customer) : `${name.toLowerCase().replace(' ', '.')}@old.example`,
          full_name: random.chance(0.08) ? null : name,
          country: random.chance(0.15) ? null : typed,
          active: random.chance(0.7) ? 'Y' : 'N',
          source: random.chance(0.3) ? null : random.pick(['fair', 'newsletter', 'import', 'phone']),
          imported_on: '2024-10-28',
        };
      }
    },
  }),
  defineTable({
    name: 'legacy_orders',
    comment: 'Orders of the former shop system until October 2024. Read-only; later orders are in orders.',
    columns: {
      order_no: key(text()),
      customer_email: nullable(text()),
      order_date: text('DD.MM.YYYY'),
      amount: decimal('In US dollars, with tax.'),
      state: text('1 open, 2 done, 3 void'),
      items: integer(),
    },
    *rows(context) {
      const count = context.count(520);
      const shop = shopOf(context);
      for (let index = 0; index < count; index++) {
        const random = context.random('legacy', index);
        const day = dateOf(FOUNDED + ((index + random.next()) / count) * (START - FOUNDED));
        yield {
          order_no: `L${String(index + 1).padStart(6, '0')}`,
          customer_email: random.chance(0.1)
            ? null
            : emailOf(shop.customer(random.integer(1, Math.max(1, Math.floor(shop.customerCount * 0.3))))),
          order_date: day.split('-').reverse().join('.'),
          amount: random.integer(900, 42_000) / 100,
          state: random.chance(0.9) ? '2' : random.pick(['1', '3']),
          items: random.integer(1, 5),
        };
      }
    },
  }),
  defineTable({
    name: 'loyalty_transactions',
    comment: 'Points that members earned and spent.',
    columns: {
      id: key(),
      customer_id: ref('loyalty_members.customer_id'),
      order_id: ref('orders'),
      points: integer('Negative when spent or taken back.'),
      reason_code: text('EARN, REDEEM or REVERSE'),
      created_at: timestamp(),
    },
    *rows(context) {
      let id = 0;
      for (const { customer, order, points: change, reason, at } of points(shopOf(context)))
        yield {
          id: ++id,
          customer_id: customer,
          order_id: order,
          points: change,
          reason_code: reason,
          created_at: timestampOf(at),
        };
    },
  }),
];
