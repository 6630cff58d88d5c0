/** Derives an order with its lines, payments, shipment, return and refunds from its number alone. */
import { type Random, weigh } from '../random.ts';
import { DAY_MS, HOUR_MS } from '../time.ts';
import { CHANNELS, CURRENCIES, ORDER_STATUS, PROMOTIONS } from './catalogue.ts';
import {
  type Customer,
  chooseCustomer,
  chooseProduct,
  demandTime,
  END,
  monthOf,
  type Product,
  priceOf,
  rateOf,
  type Shop,
  variantId,
} from './shop.ts';

const ORDERS = 4_000;
/** Order numbers continue those of the former system. */
const FIRST_ORDER = 10_001;

export interface Line {
  readonly id: number;
  readonly number: number;
  readonly product: Product;
  readonly variant: number;
  readonly quantity: number;
  /** In the currency of the order, as the other amounts. */
  readonly unitPrice: number;
  readonly discount: number;
  readonly tax: number;
  /** After the discount, without tax. */
  readonly total: number;
  readonly totalUsd: number;
  readonly returned: number;
}

export interface Payment {
  readonly id: number;
  readonly method: string;
  readonly status: 'captured' | 'failed' | 'pending';
  readonly createdAt: number;
  readonly paidAt: number | null;
}

export interface Refund {
  readonly amount: number;
  readonly reason: string;
  readonly requestedAt: number;
  readonly refundedAt: number | null;
  readonly isReturn: boolean;
}

export interface Order {
  readonly id: number;
  readonly customer: Customer;
  /** From 1. */
  readonly channel: number;
  readonly at: number;
  /** When the row was written: later for stores and the marketplace. */
  readonly recordedAt: number;
  readonly currency: string;
  readonly rate: number;
  readonly promotion: number | null;
  readonly hasCoupon: boolean;
  readonly lines: readonly Line[];
  readonly subtotal: number;
  readonly discount: number;
  readonly shippingFee: number;
  readonly tax: number;
  readonly total: number;
  readonly totalUsd: number;
  readonly netUsd: number;
  readonly refundedUsd: number;
  readonly status: (typeof ORDER_STATUS)[keyof typeof ORDER_STATUS];
  readonly payments: readonly Payment[];
  readonly paidAt: number | null;
  readonly shippedAt: number | null;
  readonly deliveredAt: number | null;
  readonly cancelledAt: number | null;
  /** The return and when it was asked for. */
  readonly returnId: number | null;
  readonly returnedAt: number | null;
  readonly returnReceivedAt: number | null;
  readonly refunds: readonly Refund[];
}

const CHANNEL_WEIGHTS = weigh(CHANNELS.map(([, , weight], index) => [index + 1, weight] as const));
const METHODS = weigh([
  ['card', 56],
  ['paypal', 24],
  ['bank_transfer', 9],
  ['klarna', 7],
  ['gift_card', 4],
]);
const LINE_COUNTS = weigh([
  [1, 50],
  [2, 26],
  [3, 14],
  [4, 7],
  [5, 3],
]);
const STORE = 4;
export const MARKETPLACE = 3;

const rounded = (amount: number, decimals: number) => {
  const factor = decimals === 0 ? 1 : 100;
  return Math.round(amount * factor) / factor;
};
const cents = (amount: number) => rounded(amount, 2);
const before = (at: number | null) => (at !== null && at < END ? at : null);

export function* orders(shop: Shop): Generator<Order> {
  const count = shop.context.count(ORDERS);
  for (let index = 0; index < count; index++) yield orderOf(shop, FIRST_ORDER + index, index, count);
}

function orderOf(shop: Shop, id: number, index: number, count: number): Order {
  const random = shop.context.random('order', id);
  const at = demandTime(random, (index + random.next()) / count);
  const customer = chooseCustomer(shop, random, at);
  const channel = customer.isTest ? 1 : random.weighted(CHANNEL_WEIGHTS);
  const { currency } = customer.country;
  const decimals = CURRENCIES[currency]?.decimals ?? 2;
  const rate = rateOf(shop.context, currency, monthOf(at));
  const promotion = promotionAt(random, at);
  const sent = sending(random, id, at, channel);
  const lines = linesOf({
    shop,
    random,
    id,
    at,
    customer,
    rate,
    decimals,
    promotion,
    isReturned: sent.returnedAt !== null,
  });
  const sum = (of: (line: Line) => number) =>
    rounded(
      lines.reduce((total, line) => total + of(line), 0),
      decimals,
    );
  const [subtotal, discount, tax] = [
    sum((line) => line.unitPrice * line.quantity),
    sum((line) => line.discount),
    sum((line) => line.tax),
  ];
  const net = rounded(subtotal - discount, decimals);
  const isFree = channel === STORE || net * rate >= 120 || PROMOTIONS[(promotion ?? 0) - 1]?.[1] === 'free_shipping';
  const shippingFee = isFree ? 0 : rounded((customer.country.region === 'Europe' ? 5.9 : 8.9) / rate, decimals);
  const total = rounded(net + tax + shippingFee, decimals);
  const refunds = refundsOf(random, sent, lines, total, decimals);
  const refunded = refunds.reduce((all, { amount, refundedAt }) => (refundedAt === null ? all : all + amount), 0);
  const isAllBack = refunded > 0 && lines.every(({ quantity, returned }) => quantity === returned);
  return {
    id,
    customer,
    channel,
    at,
    recordedAt: at + lateness(random, channel),
    currency,
    rate,
    promotion,
    hasCoupon: promotion !== null && PROMOTIONS[promotion - 1]?.[5] === true,
    lines,
    subtotal,
    discount,
    shippingFee,
    tax,
    total,
    totalUsd: cents(total * rate),
    netUsd: cents(lines.reduce((all, line) => all + line.totalUsd, 0)),
    refundedUsd: cents(refunded * rate),
    status: statusOf(sent, isAllBack),
    refunds,
    ...sent,
  };
}

type Sending = Pick<
  Order,
  'payments' | 'paidAt' | 'shippedAt' | 'deliveredAt' | 'cancelledAt' | 'returnId' | 'returnedAt' | 'returnReceivedAt'
>;

/** What happened by the end of the data. */
function sending(random: Random, id: number, at: number, channel: number): Sending {
  const isStore = channel === STORE;
  const method = isStore ? random.pick(['card', 'cash', 'gift_card']) : random.weighted(METHODS);
  const hasFailed = !isStore && random.chance(0.05);
  const paidAfter = method === 'bank_transfer' ? DAY_MS * (1 + 4 * random.next()) : 60_000 * random.integer(0, 4);
  const paidAt = before(at + paidAfter + (hasFailed ? 0.4 * HOUR_MS : 0));
  const cancels = !isStore && random.chance(0.06);
  const cancelledAt = cancels ? before(at + HOUR_MS * (1 + 40 * random.next())) : null;
  const isPaid = paidAt !== null && (cancelledAt === null || paidAt < cancelledAt);
  const packing = isStore ? 0 : DAY_MS * (0.2 + 4 * random.next() * random.next());
  const shippedAt = isPaid && !cancels ? before(paidAt + packing) : null;
  const isLost = !isStore && random.chance(0.006);
  const travel = isStore ? 0 : DAY_MS * (1 + 8 * random.next() * random.next());
  const deliveredAt = shippedAt !== null && !isLost ? before(shippedAt + travel) : null;
  const returns = random.chance(0.1);
  const returnedAt = returns && deliveredAt !== null ? before(deliveredAt + DAY_MS * (1 + 18 * random.next())) : null;
  const arrives = random.chance(0.93);
  const returnReceivedAt =
    arrives && returnedAt !== null ? before(returnedAt + DAY_MS * (2 + 9 * random.next())) : null;
  const first = { id: id * 4 + 70_000, method, createdAt: at };
  const failed = { ...first, id: first.id + 1, status: 'failed' as const, paidAt: null };
  const captured = isPaid
    ? { ...first, status: 'captured' as const, paidAt, createdAt: hasFailed ? at + 0.4 * HOUR_MS : at }
    : { ...first, status: 'pending' as const, paidAt: null };
  return {
    payments: hasFailed ? [failed, captured] : [captured],
    paidAt: isPaid ? paidAt : null,
    shippedAt,
    deliveredAt,
    cancelledAt,
    returnId: returnedAt === null ? null : 20_000 + id * 3,
    returnedAt,
    returnReceivedAt,
  };
}

function statusOf({ cancelledAt, paidAt, shippedAt, deliveredAt }: Sending, isAllBack: boolean): Order['status'] {
  if (cancelledAt !== null) return ORDER_STATUS.cancelled;
  if (isAllBack) return ORDER_STATUS.returned;
  if (deliveredAt !== null) return ORDER_STATUS.delivered;
  if (shippedAt !== null) return ORDER_STATUS.shipped;
  return paidAt === null ? ORDER_STATUS.placed : ORDER_STATUS.paid;
}

/** From 1; a third of the orders in its time use a promotion. */
function promotionAt(random: Random, at: number): number | null {
  if (!random.chance(0.34)) return null;
  const running = PROMOTIONS.flatMap(([, , , start, days], index) => {
    const from = Date.parse(start);
    return at >= from && at < from + days * DAY_MS ? [index + 1] : [];
  });
  return running.length === 0 ? null : random.pick(running);
}

interface LineSource {
  readonly shop: Shop;
  readonly random: Random;
  readonly id: number;
  readonly at: number;
  readonly customer: Customer;
  readonly rate: number;
  readonly decimals: number;
  readonly promotion: number | null;
  readonly isReturned: boolean;
}

function linesOf({ shop, random, id, at, customer, rate, decimals, promotion, isReturned }: LineSource): Line[] {
  const [, kind, value] = PROMOTIONS[(promotion ?? 0) - 1] ?? [];
  const isPartial = random.chance(0.6);
  return Array.from({ length: random.weighted(LINE_COUNTS) }, (_, index) => {
    const product = chooseProduct(shop, random, at);
    const variant = random.integer(1, product.variants);
    const most = customer.accountId === null ? 3 : 12;
    const quantity = customer.isTest ? 50 : 1 + Math.floor(random.next() * random.next() * random.next() * most);
    const unitPrice = rounded(priceOf(product, variant, at) / 100 / rate, decimals);
    const full = unitPrice * quantity;
    const fixed = kind === 'fixed' && index === 0 ? Math.min(full, (value ?? 0) / rate) : 0;
    const discount = rounded(kind === 'percent' ? (full * (value ?? 0)) / 100 : fixed, decimals);
    const total = rounded(full - discount, decimals);
    const back = isReturned && (index === 0 || !isPartial) ? random.integer(1, quantity) : 0;
    return {
      id: id * 10 + index + 1,
      number: index + 1,
      product,
      variant: variantId(product.id, variant),
      quantity,
      unitPrice,
      discount,
      tax: rounded((total * customer.country.taxPercent) / 100, decimals),
      total,
      totalUsd: cents(total * rate),
      returned: back,
    };
  });
}

function refundsOf(random: Random, sent: Sending, lines: readonly Line[], total: number, decimals: number): Refund[] {
  const { cancelledAt, paidAt, deliveredAt, returnedAt, returnReceivedAt } = sent;
  if (cancelledAt !== null) {
    if (paidAt === null) return [];
    const refundedAt = before(cancelledAt + DAY_MS * (1 + 4 * random.next()));
    return [{ amount: total, reason: 'cancelled', requestedAt: cancelledAt, refundedAt, isReturn: false }];
  }
  if (returnedAt !== null) {
    if (returnReceivedAt === null) return [];
    const worth = lines.reduce((all, line) => all + ((line.total + line.tax) * line.returned) / line.quantity, 0);
    const refundedAt = before(returnReceivedAt + DAY_MS * (1 + 5 * random.next()));
    return [
      { amount: rounded(worth, decimals), reason: 'return', requestedAt: returnedAt, refundedAt, isReturn: true },
    ];
  }
  if (deliveredAt === null || !random.chance(0.015)) return [];
  const requestedAt = before(deliveredAt + 3 * DAY_MS);
  if (requestedAt === null) return [];
  const refundedAt = before(requestedAt + DAY_MS * (1 + 2 * random.next()));
  return [{ amount: rounded(total * 0.15, decimals), reason: 'goodwill', requestedAt, refundedAt, isReturn: false }];
}

/** Stores send their sales at night, the marketplace within three days. */
function lateness(random: Random, channel: number): number {
  if (channel === STORE) return HOUR_MS * random.integer(6, 14);
  if (channel === MARKETPLACE) return HOUR_MS * 72 * random.next() * random.next();
  return 1_000 * random.integer(0, 3);
}
