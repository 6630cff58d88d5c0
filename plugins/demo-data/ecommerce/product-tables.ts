/** Declares products, their variants and prices, purchasing and stock. */

import type { DemoContext } from '../table.ts';
import { boolean, date, decimal, defineTable, integer, key, nullable, ref, text, timestamp, unique } from '../table.ts';
import { DAY_MS, dateOf, HOUR_MS, timestampOf } from '../time.ts';
import { COLORS, SIZES } from './catalogue.ts';
import { orders } from './order.ts';
import {
  EMPLOYEES,
  END,
  type Product,
  priceChange,
  priceOf,
  type Shop,
  START,
  SUPPLIERS,
  shopOf,
  variantId,
  WAREHOUSES,
} from './shop.ts';

const TAGS = ['new', 'bestseller', 'gift', 'sustainable', 'sale', 'limited', 'refurbished'];
const PURCHASES = 280;
/** Movements are kept for four months. */
const MOVEMENTS_SINCE = END - 123 * DAY_MS;

export function* products(shop: Shop): Generator<Product> {
  for (let id = 1; id <= shop.productCount; id++) yield shop.product(id);
}

interface Variant {
  readonly id: number;
  readonly number: number;
  readonly product: Product;
}

export function* variants(shop: Shop): Generator<Variant> {
  for (const product of products(shop))
    for (let number = 1; number <= product.variants; number++)
      yield { id: variantId(product.id, number), number, product };
}

interface Purchase {
  readonly id: number;
  readonly supplier: number;
  readonly warehouse: number;
  readonly orderedAt: number;
  readonly expectedAt: number;
  readonly receivedAt: number | null;
  readonly isCancelled: boolean;
  readonly items: readonly { id: number; variant: Variant; ordered: number; received: number; cost: number }[];
}

function* purchases(shop: Shop): Generator<Purchase> {
  const count = shop.context.count(PURCHASES);
  for (let index = 0; index < count; index++) {
    const id = 5_001 + index;
    const random = shop.context.random('purchase', id);
    const orderedAt = START - 30 * DAY_MS + ((index + random.next()) / count) * (END - START + 30 * DAY_MS);
    const expectedAt = orderedAt + random.integer(6, 35) * DAY_MS;
    const arrivesAt =
      expectedAt + random.integer(-3, 4) * DAY_MS + (random.chance(0.2) ? random.integer(3, 20) * DAY_MS : 0);
    const isCancelled = random.chance(0.05);
    const receivedAt = isCancelled || arrivesAt >= END ? null : arrivesAt;
    const isShort = random.chance(0.15);
    yield {
      id,
      supplier: 1 + Math.floor(random.next() * random.next() * SUPPLIERS),
      warehouse: random.integer(1, WAREHOUSES.length),
      orderedAt,
      expectedAt,
      receivedAt,
      isCancelled,
      items: Array.from({ length: random.integer(1, 5) }, (_, line) => {
        const product = shop.product(random.integer(1, shop.productCount));
        const number = random.integer(1, product.variants);
        const ordered = random.integer(2, 30) * 10;
        const missing = isShort && line === 0 ? random.integer(1, 9) : 0;
        return {
          id: id * 10 + line,
          variant: { id: variantId(product.id, number), number, product },
          ordered,
          received: receivedAt === null ? 0 : ordered - missing,
          cost: costOf(product, number),
        };
      }),
    };
  }
}

const costOf = (product: Product, number: number) =>
  Math.round((priceOf(product, number, START) * product.costPercent) / 100) / 100;

interface Movement {
  readonly warehouse: number;
  readonly variant: number;
  readonly code: 'RCV' | 'SAL' | 'RET' | 'ADJ';
  readonly quantity: number;
  readonly at: number;
  readonly reference: string | null;
}

/** The warehouse that an order is shipped from. */
export function warehouseFor(country: { readonly code: string; readonly region: string }, order: number): number {
  if (country.code === 'GB') return 4;
  if (country.region === 'Europe') return 3;
  if (country.region === 'Asia Pacific') return 5;
  return 1 + (order % 2);
}

function* movements(context: DemoContext): Generator<Movement> {
  const shop = shopOf(context);
  for (const { id, warehouse, receivedAt, items } of purchases(shop)) {
    if (receivedAt === null || receivedAt < MOVEMENTS_SINCE) continue;
    for (const { variant, received } of items)
      yield { warehouse, variant: variant.id, code: 'RCV', quantity: received, at: receivedAt, reference: `PO-${id}` };
  }
  for (const { id, customer, lines, shippedAt, returnReceivedAt } of orders(shop)) {
    const warehouse = warehouseFor(customer.country, id);
    for (const { variant, quantity, returned } of lines) {
      if (shippedAt !== null && shippedAt >= MOVEMENTS_SINCE)
        yield { warehouse, variant, code: 'SAL', quantity: -quantity, at: shippedAt, reference: `SO-${id}` };
      if (returnReceivedAt !== null && returnReceivedAt >= MOVEMENTS_SINCE && returned > 0)
        yield { warehouse, variant, code: 'RET', quantity: returned, at: returnReceivedAt, reference: `SO-${id}` };
    }
  }
  for (let index = 0; index < context.count(150); index++) {
    const random = context.random('adjustment', index);
    const product = shop.product(random.integer(1, shop.productCount));
    yield {
      warehouse: random.integer(1, WAREHOUSES.length),
      variant: variantId(product.id, random.integer(1, product.variants)),
      code: 'ADJ',
      quantity: random.chance(0.8) ? -random.integer(1, 6) : random.integer(1, 3),
      at: MOVEMENTS_SINCE + random.next() * 122 * DAY_MS,
      reference: null,
    };
  }
}

export const productTables = [
  defineTable({
    name: 'products',
    comment: 'Products of the shop and of the sellers on its marketplace.',
    columns: {
      id: key(),
      sku: unique(text()),
      name: text(),
      category_id: ref('categories'),
      brand_id: ref('brands'),
      supplier_id: nullable(ref('suppliers')),
      seller_id: nullable(ref('sellers')),
      status_code: text('A on sale, D discontinued'),
      launched_on: date(),
      discontinued_on: nullable(date()),
      deleted_at: nullable(timestamp('Set when the row was deleted.')),
    },
    *rows(context) {
      for (const { id, name, category, brandId, supplierId, sellerId, launched, discontinued } of products(
        shopOf(context),
      ))
        yield {
          id,
          sku: `P${String(id).padStart(6, '0')}`,
          name,
          category_id: category.id,
          brand_id: brandId,
          supplier_id: sellerId === null ? supplierId : null,
          seller_id: sellerId,
          status_code: discontinued === null ? 'A' : 'D',
          launched_on: dateOf(launched),
          discontinued_on: discontinued === null ? null : dateOf(discontinued),
          deleted_at: discontinued !== null && id % 3 === 0 ? timestampOf(discontinued + 9 * HOUR_MS) : null,
        };
    },
  }),
  defineTable({
    name: 'product_variants',
    comment: 'What is ordered and kept in stock: a product in one color or size.',
    columns: {
      id: key(),
      product_id: ref('products'),
      sku: unique(text()),
      color: nullable(text()),
      size: nullable(text()),
      list_price: decimal('In US dollars, today, before tax.'),
      unit_cost: decimal('What the shop pays, in US dollars.'),
      weight_kg: nullable(decimal()),
      is_active: boolean('Whether it can be ordered.'),
    },
    *rows(context) {
      for (const { id, number, product } of variants(shopOf(context))) {
        const random = context.random('variant', id);
        yield {
          id,
          product_id: product.id,
          sku: `P${String(product.id).padStart(6, '0')}-${number}`,
          color: random.chance(0.2) ? null : (COLORS[(product.id + number) % COLORS.length] as string),
          size: product.category.isSized ? (SIZES[number - 1] as string) : null,
          list_price: priceOf(product, number, END) / 100,
          unit_cost: costOf(product, number),
          weight_kg: random.chance(0.1) ? null : random.integer(5, 900) / 100,
          is_active: product.discontinued === null && !random.chance(0.03),
        };
      }
    },
  }),
  defineTable({
    name: 'product_price_history',
    comment: 'List prices over time.',
    columns: {
      id: key(),
      variant_id: ref('product_variants'),
      price: decimal('In US dollars.'),
      valid_from: date(),
      valid_to: nullable(date('First day of the next price; missing for the present one.')),
    },
    *rows(context) {
      let id = 0;
      for (const { id: variant_id, number, product } of variants(shopOf(context))) {
        const [old, now] = [priceOf(product, number, START) / 100, priceOf(product, number, END) / 100];
        const launched = dateOf(product.launched);
        const changes = product.priceRises && launched < priceChange;
        if (changes) yield { id: ++id, variant_id, price: old, valid_from: launched, valid_to: priceChange };
        yield { id: ++id, variant_id, price: now, valid_from: changes ? priceChange : launched, valid_to: null };
      }
    },
  }),
  defineTable({
    name: 'product_tags',
    comment: 'Labels of products in the shop.',
    columns: { product_id: ref('products'), tag: text() },
    primaryKey: ['product_id', 'tag'],
    *rows(context) {
      for (const { id } of products(shopOf(context))) {
        const random = context.random('tags', id);
        for (const tag of TAGS) if (random.chance(0.2)) yield { product_id: id, tag };
      }
    },
  }),
  defineTable({
    name: 'inventory_levels',
    comment: 'Present stock of each variant in each warehouse that holds it.',
    columns: {
      warehouse_id: ref('warehouses'),
      variant_id: ref('product_variants'),
      on_hand: integer('Pieces in the warehouse.'),
      reserved: integer('Of them, promised to open orders.'),
      reorder_point: integer('At or below it more is bought.'),
      counted_on: nullable(date('Last stocktaking.')),
    },
    primaryKey: ['warehouse_id', 'variant_id'],
    *rows(context) {
      for (const { id, product } of variants(shopOf(context)))
        for (let warehouse = 1; warehouse <= WAREHOUSES.length; warehouse++) {
          const random = context.random('stock', id, warehouse);
          if (product.sellerId !== null || !random.chance(0.55)) continue;
          const on_hand = random.chance(0.08) ? 0 : Math.floor(random.next() * random.next() * 400);
          yield {
            warehouse_id: warehouse,
            variant_id: id,
            on_hand,
            reserved: Math.min(on_hand, random.integer(0, 6)),
            reorder_point: random.pick([10, 20, 25, 40]),
            counted_on: random.chance(0.25) ? null : dateOf(END - random.integer(5, 300) * DAY_MS),
          };
        }
    },
  }),
  defineTable({
    name: 'purchase_orders',
    comment: 'Orders that the shop places with its suppliers. Not to be confused with the orders of customers.',
    columns: {
      id: key(),
      supplier_id: ref('suppliers'),
      warehouse_id: ref('warehouses'),
      buyer_id: ref('employees', integer('The employee who ordered.')),
      status_code: text('O ordered, R received, P received in part, C cancelled'),
      ordered_on: date(),
      expected_on: date(),
      received_on: nullable(date()),
      currency_code: ref('currencies.code', text()),
      total_cost: decimal('Ordered quantities times unit costs, in US dollars.'),
    },
    *rows(context) {
      for (const { id, supplier, warehouse, orderedAt, expectedAt, receivedAt, isCancelled, items } of purchases(
        shopOf(context),
      ))
        yield {
          id,
          supplier_id: supplier,
          warehouse_id: warehouse,
          buyer_id: 9 + (id % (EMPLOYEES - 9)),
          status_code: isCancelled
            ? 'C'
            : receivedAt === null
              ? 'O'
              : items.some(({ ordered, received }) => received < ordered)
                ? 'P'
                : 'R',
          ordered_on: dateOf(orderedAt),
          expected_on: dateOf(expectedAt),
          received_on: receivedAt === null ? null : dateOf(receivedAt),
          currency_code: 'USD',
          total_cost: items.reduce((cents, { ordered, cost }) => cents + Math.round(ordered * cost * 100), 0) / 100,
        };
    },
  }),
  defineTable({
    name: 'purchase_order_items',
    comment: 'Variants in a purchase order.',
    columns: {
      id: key(),
      purchase_order_id: ref('purchase_orders'),
      variant_id: ref('product_variants'),
      quantity_ordered: integer(),
      quantity_received: integer(),
      unit_cost: decimal('In US dollars.'),
    },
    *rows(context) {
      for (const { id: purchase, items } of purchases(shopOf(context)))
        for (const { id, variant, ordered, received, cost } of items)
          yield {
            id,
            purchase_order_id: purchase,
            variant_id: variant.id,
            quantity_ordered: ordered,
            quantity_received: received,
            unit_cost: cost,
          };
    },
  }),
  defineTable({
    name: 'stock_movements',
    comment: 'Goods that came in or went out since July 2026. Older movements are removed.',
    columns: {
      id: key(),
      warehouse_id: ref('warehouses'),
      variant_id: ref('product_variants'),
      movement_code: text('RCV received, SAL sold, RET returned, ADJ corrected'),
      quantity: integer('Positive in, negative out.'),
      moved_at: timestamp(),
      recorded_at: timestamp('When the row was written, up to a day later.'),
      reference: nullable(text('PO- with a purchase order, SO- with an order.')),
    },
    indexes: [['moved_at']],
    *rows(context) {
      let id = 0;
      for (const { warehouse, variant, code, quantity, at, reference } of movements(context))
        yield {
          id: ++id,
          warehouse_id: warehouse,
          variant_id: variant,
          movement_code: code,
          quantity,
          moved_at: timestampOf(at),
          recorded_at: timestampOf(at + context.random('late', id).next() * DAY_MS),
          reference,
        };
    },
  }),
];
