/** Declares promotions and campaigns, carts and visits of the shop. */
import { weigh } from '../random.ts';
import {
  boolean,
  type DemoContext,
  date,
  decimal,
  defineTable,
  integer,
  json,
  key,
  nullable,
  ref,
  text,
  timestamp,
  unique,
} from '../table.ts';
import { DAY_MS, dateOf, HOUR_MS, timestampOf } from '../time.ts';
import { COUNTRIES, PROMOTIONS } from './catalogue.ts';
import { COUPONS } from './coupons.ts';
import { type Order, orders } from './order.ts';
import { chooseCustomer, chooseProduct, demandTime, END, type Shop, START, shopOf, variantId } from './shop.ts';

const CAMPAIGNS = 26;
const MEDIA = ['email', 'search', 'social', 'display', 'affiliate'];
/** Carts are kept for six months, visits for two. */
const CARTS_SINCE = END - 184 * DAY_MS;
const SESSIONS = 2_600;
const SESSIONS_SINCE = END - 61 * DAY_MS;
const DEVICES = weigh([
  ['mobile', 58],
  ['desktop', 35],
  ['tablet', 7],
]);
const FUNNEL: readonly [type: string, chance: number][] = [
  ['page_view', 1],
  ['search', 0.5],
  ['product_view', 0.75],
  ['add_to_cart', 0.4],
  ['checkout_start', 0.6],
  ['purchase', 0.7],
];
interface Campaign {
  readonly id: number;
  readonly medium: string;
  readonly startsAt: number;
  readonly days: number;
  readonly budget: number;
}

function campaignOf({ random }: DemoContext, id: number): Campaign {
  const own = random('campaign', id);
  const startsAt = START + Math.floor(((id - 1) / CAMPAIGNS) * 700 + own.next() * 12) * DAY_MS;
  return {
    id,
    medium: MEDIA[id % MEDIA.length] as string,
    startsAt,
    days: own.integer(10, 28),
    budget: own.integer(10, 120) * 100,
  };
}

interface Cart {
  readonly at: number;
  readonly customer: number | null;
  readonly currency: string;
  readonly order: Order | null;
  readonly lines: readonly { variant: number; quantity: number }[];
}

/** Carts that became orders of the shop and the app, and those that were left. */
function* carts(shop: Shop): Generator<Cart> {
  for (const order of orders(shop)) {
    if (order.at < CARTS_SINCE || order.channel > 2) continue;
    const random = shop.context.random('cart', order.id);
    const at = order.at - random.integer(2, 90) * 60_000;
    yield { at, customer: order.customer.id, currency: order.currency, order, lines: order.lines };
    for (let left = random.integer(0, 3); left > 0; left--) {
      const begun = Math.min(END - HOUR_MS, at + random.next() * DAY_MS);
      const known = random.chance(0.55) ? chooseCustomer(shop, random, begun) : null;
      const lines = Array.from({ length: random.integer(1, 3) }, () => {
        const { id, variants } = chooseProduct(shop, random, begun);
        return { variant: variantId(id, random.integer(1, variants)), quantity: random.chance(0.85) ? 1 : 2 };
      });
      yield {
        at: begun,
        customer: known?.id ?? null,
        currency: (known?.country ?? random.weighted(COUNTRIES)).currency,
        order: null,
        lines: lines.filter(({ variant }, index) => lines.findIndex((line) => line.variant === variant) === index),
      };
    }
  }
}

interface Session {
  readonly id: number;
  readonly startedAt: number;
  readonly events: readonly { type: string; at: number; product: number | null }[];
  readonly isBot: boolean;
  readonly customer: { id: number; code: string } | null;
  readonly seconds: number;
}

function* sessions(shop: Shop): Generator<Session> {
  const count = shop.context.count(SESSIONS);
  for (let index = 0; index < count; index++) {
    const random = shop.context.random('session', index);
    const startedAt = Math.max(SESSIONS_SINCE, demandTime(random, 0.9 + (0.1 * (index + random.next())) / count));
    const isBot = random.chance(0.06);
    const known = !isBot && random.chance(0.4) ? chooseCustomer(shop, random, startedAt) : null;
    const events: Session['events'][number][] = [];
    let at = startedAt;
    for (const [type, chance] of FUNNEL) {
      if (!random.chance(chance)) break;
      events.push({ type, at, product: /product|cart/.test(type) ? chooseProduct(shop, random, at).id : null });
      at += random.integer(5, 150) * 1_000;
    }
    yield {
      id: 800_001 + index,
      startedAt,
      events: isBot ? events.slice(0, 1) : events,
      isBot,
      customer: known && { id: known.id, code: known.country.code },
      seconds: (at - startedAt) / 1_000,
    };
  }
}

export const promotionTables = [
  defineTable({
    name: 'promotions',
    comment: 'Price reductions for a time.',
    columns: {
      id: key(),
      name: unique(text()),
      kind: text('percent, fixed or free_shipping'),
      value: nullable(decimal('Percent or US dollars; missing for free shipping.')),
      needs_coupon: boolean(),
      starts_on: date(),
      ends_on: date('Last day.'),
    },
    *rows() {
      for (const [index, [name, kind, value, start, days, needs_coupon]] of PROMOTIONS.entries())
        yield {
          id: index + 1,
          name,
          kind,
          value: kind === 'free_shipping' ? null : value,
          needs_coupon,
          starts_on: start,
          ends_on: dateOf(Date.parse(start) + (days - 1) * DAY_MS),
        };
    },
  }),
  defineTable({
    name: 'coupons',
    comment: 'Codes for promotions.',
    columns: {
      id: key(),
      promotion_id: ref('promotions'),
      code: unique(text()),
      max_uses: nullable(integer('Missing: no limit.')),
      is_active: boolean(),
      expires_at: timestamp(),
    },
    *rows() {
      for (const { id, promotion, code, endsAt } of COUPONS)
        yield {
          id,
          promotion_id: promotion,
          code,
          max_uses: id % 4 === 0 ? null : 100,
          is_active: endsAt > END,
          expires_at: timestampOf(endsAt),
        };
    },
  }),
  defineTable({
    name: 'marketing_campaigns',
    comment: 'Advertising campaigns.',
    columns: {
      id: key(),
      name: text(),
      medium: text(),
      owner_id: nullable(ref('employees')),
      promotion_id: nullable(ref('promotions')),
      budget_usd: decimal(),
      starts_on: date(),
      ends_on: date(),
      is_archived: boolean(),
    },
    *rows(context) {
      for (let id = 1; id <= CAMPAIGNS; id++) {
        const { medium, startsAt, days, budget } = campaignOf(context, id);
        yield {
          id,
          name: `${medium} ${dateOf(startsAt).slice(0, 7)}`,
          medium,
          owner_id: id % 6 === 0 ? null : 9 + id,
          promotion_id: id % 3 === 0 ? 1 + (id % PROMOTIONS.length) : null,
          budget_usd: budget,
          starts_on: dateOf(startsAt),
          ends_on: dateOf(startsAt + (days - 1) * DAY_MS),
          is_archived: startsAt < Date.UTC(2025, 6, 1),
        };
      }
    },
  }),
  defineTable({
    name: 'campaign_daily_stats',
    comment: 'What each campaign reached and cost, by day.',
    columns: {
      campaign_id: ref('marketing_campaigns'),
      day: date(),
      impressions: integer(),
      clicks: integer(),
      spend_usd: decimal(),
      attributed_orders: integer("As the advertising platforms count them; more than the shop's own count."),
    },
    primaryKey: ['campaign_id', 'day'],
    *rows(context) {
      for (let id = 1; id <= CAMPAIGNS; id++) {
        const { startsAt, days, budget } = campaignOf(context, id);
        for (let day = 0; day < days; day++) {
          const random = context.random('stats', id, day);
          const clicks = random.integer(20, 400);
          yield {
            campaign_id: id,
            day: dateOf(startsAt + day * DAY_MS),
            impressions: clicks * random.integer(15, 90),
            clicks,
            spend_usd: Math.round((budget / days) * (60 + random.integer(0, 55))) / 100,
            attributed_orders: Math.floor((clicks * random.integer(0, 6)) / 100),
          };
        }
      }
    },
  }),
];

export const visitTables = [
  defineTable({
    name: 'carts',
    comment: 'Shopping carts of the web shop and the app since May 2026.',
    columns: {
      id: key(),
      customer_id: nullable(ref('customers', integer('Missing for visitors without a login.'))),
      order_id: nullable(ref('orders', integer('What the cart became.'))),
      status: text('open, converted or abandoned'),
      currency_code: ref('currencies.code', text()),
      created_at: timestamp(),
      updated_at: timestamp(),
    },
    *rows(context) {
      let id = 0;
      for (const { at, customer, currency, order } of carts(shopOf(context)))
        yield {
          id: ++id,
          customer_id: customer,
          order_id: order?.id ?? null,
          status: order !== null ? 'converted' : at > END - 3 * DAY_MS ? 'open' : 'abandoned',
          currency_code: currency,
          created_at: timestampOf(at),
          updated_at: timestampOf(order?.at ?? at + 10 * 60_000),
        };
    },
  }),
  defineTable({
    name: 'cart_items',
    comment: 'What lies in the carts.',
    columns: {
      id: key(),
      cart_id: ref('carts'),
      variant_id: ref('product_variants'),
      quantity: integer(),
      added_at: timestamp(),
    },
    *rows(context) {
      let [id, cart_id] = [0, 0];
      for (const { at, lines } of carts(shopOf(context))) {
        cart_id++;
        for (const { variant, quantity } of lines)
          yield { id: ++id, cart_id, variant_id: variant, quantity, added_at: timestampOf(at + (id % 5) * 45_000) };
      }
    },
  }),
  defineTable({
    name: 'web_sessions',
    comment: 'Visits of the web shop and the app since September 2026.',
    columns: {
      id: key(),
      customer_id: nullable(ref('customers')),
      campaign_id: nullable(ref('marketing_campaigns')),
      device: text(),
      country_code: nullable(ref('countries.code', text())),
      page_views: integer(),
      is_bot: boolean('Left out of reports.'),
      started_at: timestamp(),
      ended_at: nullable(timestamp()),
    },
    indexes: [['started_at']],
    *rows(context) {
      for (const { id, startedAt, events, isBot, customer, seconds } of sessions(shopOf(context))) {
        const random = context.random('visit', id);
        yield {
          id,
          customer_id: customer?.id ?? null,
          campaign_id: random.chance(0.25) ? random.integer(CAMPAIGNS - 4, CAMPAIGNS) : null,
          device: isBot ? 'desktop' : random.weighted(DEVICES),
          country_code: customer?.code ?? (random.chance(0.2) ? null : random.weighted(COUNTRIES).code),
          page_views: isBot ? random.integer(40, 300) : events.length + random.integer(0, 6),
          is_bot: isBot,
          started_at: timestampOf(startedAt),
          ended_at: random.chance(0.1) ? null : timestampOf(startedAt + seconds * 1_000),
        };
      }
    },
  }),
  defineTable({
    name: 'web_events',
    comment: 'Steps of the visits, from the first page to the purchase.',
    columns: {
      id: key(),
      session_id: ref('web_sessions'),
      event_type: text(),
      product_id: nullable(ref('products')),
      event_time: timestamp('When it happened.'),
      received_at: timestamp('When it arrived: up to two days later from phones without a network.'),
      properties: nullable(json()),
    },
    indexes: [['event_time']],
    *rows(context) {
      let id = 0;
      for (const { id: session_id, events } of sessions(shopOf(context)))
        for (const { type, at, product } of events) {
          const random = context.random('event', ++id);
          const late = random.chance(0.03) ? random.next() * 2 * DAY_MS : random.integer(0, 20) * 1_000;
          yield {
            id,
            session_id,
            event_type: type,
            product_id: product,
            event_time: timestampOf(at),
            received_at: timestampOf(at + late),
            properties:
              type === 'search'
                ? JSON.stringify({
                    terms: random.pick(['tent', 'headphones', 'gift', 'shoes']),
                    results: random.integer(0, 80),
                  })
                : null,
          };
        }
    },
  }),
];
