/** Declares orders and what follows from them: payments, shipments, returns, refunds, payouts to sellers. */
import { boolean, date, decimal, defineTable, integer, key, nullable, real, ref, text, timestamp } from '../table.ts';
import { DAY_MS, dateOf, HOUR_MS, timestampOf } from '../time.ts';
import { ORDER_STATUS } from './catalogue.ts';
import { couponOf } from './coupons.ts';
import { homeAddress } from './customer-tables.ts';
import { type Order, orders } from './order.ts';
import { warehouseFor } from './product-tables.ts';
import { commissionOf, EMPLOYEES, END, MONTH_COUNT, monthOf, monthStart, SELLERS, shopOf } from './shop.ts';

/** The history of statuses begins with May 2026. */
const HISTORY_SINCE = Date.UTC(2026, 4, 1);
const RETURN_REASONS = ['too_small', 'damaged', 'not_as_described', 'changed_mind', 'late'];
const timeOf = (at: number | null) => (at === null ? null : timestampOf(at));

function steps({
  at,
  paidAt,
  shippedAt,
  deliveredAt,
  cancelledAt,
  returnReceivedAt,
  status,
}: Order): [number, number][] {
  const times: [number, number | null][] = [
    [ORDER_STATUS.placed, at],
    [ORDER_STATUS.paid, paidAt],
    [ORDER_STATUS.shipped, shippedAt],
    [ORDER_STATUS.delivered, deliveredAt],
    [ORDER_STATUS.returned, status === ORDER_STATUS.returned ? returnReceivedAt : null],
    [ORDER_STATUS.cancelled, cancelledAt],
  ];
  return times.flatMap(([step, when]) => (when === null ? [] : [[step, when] as [number, number]]));
}

export const orderTables = [
  defineTable({
    name: 'orders',
    comment: 'Orders of customers since November 2024, whatever became of them.',
    columns: {
      id: key(),
      order_number: text(),
      customer_id: ref('customers'),
      channel_id: ref('sales_channels'),
      promotion_id: nullable(ref('promotions')),
      coupon_id: nullable(ref('coupons')),
      shipping_address_id: nullable(ref('addresses')),
      status_code: integer('10 new, 20 paid, 30 shipped, 40 delivered, 50 returned, 90 cancelled'),
      currency_code: ref('currencies.code', text()),
      exchange_rate: real('US dollars for one unit when it was ordered.'),
      subtotal: decimal('Prices without discount, tax and shipping, in the currency of the order.'),
      discount_total: decimal(),
      shipping_fee: decimal(),
      tax_total: decimal(),
      grand_total: decimal('What the customer pays, in the currency of the order.'),
      grand_total_usd: decimal(),
      net_total_usd: decimal('After discounts, without tax and shipping, in US dollars.'),
      refunded_usd: decimal('Paid back so far.'),
      is_test: boolean('Orders of testers. Left out of reports.'),
      ordered_at: timestamp('When the customer ordered.'),
      created_at: timestamp('When the row was written: up to three days later.'),
      cancelled_at: nullable(timestamp()),
    },
    indexes: [['ordered_at']],
    *rows(context) {
      for (const order of orders(shopOf(context))) {
        const { id, customer, channel, at } = order;
        yield {
          id,
          order_number: `${new Date(at).getUTCFullYear()}-${id}`,
          customer_id: customer.id,
          channel_id: channel,
          promotion_id: order.promotion,
          coupon_id: couponOf(order),
          shipping_address_id: channel === 4 ? null : homeAddress(customer.id),
          status_code: order.status,
          currency_code: order.currency,
          exchange_rate: order.rate,
          subtotal: order.subtotal,
          discount_total: order.discount,
          shipping_fee: order.shippingFee,
          tax_total: order.tax,
          grand_total: order.total,
          grand_total_usd: order.totalUsd,
          net_total_usd: order.netUsd,
          refunded_usd: order.refundedUsd,
          is_test: customer.isTest,
          ordered_at: timestampOf(at),
          created_at: timestampOf(order.recordedAt),
          cancelled_at: timeOf(order.cancelledAt),
        };
      }
    },
  }),
  defineTable({
    name: 'order_items',
    comment: 'Lines of the orders.',
    columns: {
      id: key(),
      order_id: ref('orders'),
      line_no: integer(),
      variant_id: ref('product_variants'),
      seller_id: nullable(ref('sellers', integer("Missing for the shop's own products."))),
      quantity: integer(),
      unit_price: decimal('In the currency of the order.'),
      discount_amount: decimal(),
      tax_amount: decimal(),
      line_total: decimal('After the discount, without tax, in the currency of the order.'),
      line_total_usd: decimal(),
      unit_cost_usd: nullable(decimal('What the shop paid for one; missing for products of sellers.')),
      is_test: boolean('As in the order.'),
    },
    unique: [['order_id', 'line_no']],
    *rows(context) {
      for (const { id: order_id, customer, lines } of orders(shopOf(context)))
        for (const { id, number, product, variant, quantity, unitPrice, discount, tax, total, totalUsd } of lines)
          yield {
            id,
            order_id,
            line_no: number,
            variant_id: variant,
            seller_id: product.sellerId,
            quantity,
            unit_price: unitPrice,
            discount_amount: discount,
            tax_amount: tax,
            line_total: total,
            line_total_usd: totalUsd,
            unit_cost_usd:
              product.sellerId === null ? Math.round((product.cents * product.costPercent) / 100) / 100 : null,
            is_test: customer.isTest,
          };
    },
  }),
  defineTable({
    name: 'order_status_history',
    comment: 'Every change of the status of orders since May 2026.',
    columns: {
      id: key(),
      order_id: ref('orders'),
      status_code: integer('As in orders.'),
      changed_at: timestamp(),
      changed_by: nullable(ref('employees', integer('Missing when the system did it.'))),
    },
    *rows(context) {
      let id = 0;
      for (const order of orders(shopOf(context))) {
        if (order.at < HISTORY_SINCE) continue;
        for (const [status, changed] of steps(order))
          yield {
            id: ++id,
            order_id: order.id,
            status_code: status,
            changed_at: timestampOf(changed),
            changed_by:
              status === ORDER_STATUS.cancelled && order.id % 3 === 0 ? 9 + (order.id % (EMPLOYEES - 9)) : null,
          };
      }
    },
  }),
  defineTable({
    name: 'coupon_redemptions',
    comment: 'Coupons that were used.',
    columns: {
      id: key(),
      coupon_id: ref('coupons'),
      order_id: ref('orders'),
      customer_id: ref('customers'),
      discount_usd: decimal(),
      redeemed_at: timestamp(),
    },
    *rows(context) {
      let id = 0;
      for (const order of orders(shopOf(context))) {
        const coupon_id = couponOf(order);
        if (coupon_id !== null)
          yield {
            id: ++id,
            coupon_id,
            order_id: order.id,
            customer_id: order.customer.id,
            discount_usd: Math.round(order.discount * order.rate * 100) / 100,
            redeemed_at: timestampOf(order.at),
          };
      }
    },
  }),
  defineTable({
    name: 'payments',
    comment: 'Attempts to pay. An order can have a failed one before the one that worked.',
    columns: {
      id: key(),
      order_id: ref('orders'),
      method: text(),
      status: text('captured, failed or pending'),
      amount: decimal('In the currency of the order.'),
      currency_code: ref('currencies.code', text()),
      created_at: timestamp(),
      paid_at: nullable(timestamp('When the money arrived.')),
    },
    indexes: [['paid_at']],
    *rows(context) {
      for (const { id: order_id, payments, total, currency } of orders(shopOf(context)))
        for (const { id, method, status, createdAt, paidAt } of payments)
          yield {
            id,
            order_id,
            method,
            status,
            amount: total,
            currency_code: currency,
            created_at: timestampOf(createdAt),
            paid_at: timeOf(paidAt),
          };
    },
  }),
  defineTable({
    name: 'shipments',
    comment: 'Parcels to customers. Sales in the store have none.',
    columns: {
      id: key(),
      order_id: ref('orders'),
      warehouse_id: ref('warehouses'),
      carrier_id: ref('carriers'),
      tracking_number: nullable(text()),
      status: text('in_transit, delivered or lost'),
      shipped_at: timestamp(),
      delivered_at: nullable(timestamp()),
      cost_usd: decimal('What the carrier charges the shop.'),
    },
    indexes: [['shipped_at']],
    *rows(context) {
      let id = 0;
      for (const { id: order_id, customer, channel, shippedAt, deliveredAt } of orders(shopOf(context))) {
        if (shippedAt === null || channel === 4) continue;
        const random = context.random('shipment', order_id);
        const { code, region } = customer.country;
        const carrier =
          code === 'GB' ? 4 : region === 'Asia Pacific' ? 5 : region === 'Europe' ? 3 : random.pick([1, 1, 2]);
        const lost = deliveredAt === null && shippedAt < END - 25 * DAY_MS;
        yield {
          id: ++id,
          order_id,
          warehouse_id: warehouseFor(customer.country, order_id),
          carrier_id: random.chance(0.05) && shippedAt < Date.UTC(2025, 6, 1) ? 6 : carrier,
          tracking_number: random.chance(0.04) ? null : `T${order_id}${random.integer(1_000, 9_999)}`,
          status: deliveredAt !== null ? 'delivered' : lost ? 'lost' : 'in_transit',
          shipped_at: timestampOf(shippedAt),
          delivered_at: timeOf(deliveredAt),
          cost_usd: random.integer(380, 1_450) / 100,
        };
      }
    },
  }),
  defineTable({
    name: 'returns',
    comment: 'Returns that customers asked for.',
    columns: {
      id: key(),
      order_id: ref('orders'),
      status: text('requested, received or closed'),
      reason_code: text(),
      requested_at: timestamp(),
      received_at: nullable(timestamp('When the goods were back.')),
    },
    *rows(context) {
      for (const { id: order_id, returnId, returnedAt, returnReceivedAt, refunds } of orders(shopOf(context))) {
        if (returnId === null || returnedAt === null) continue;
        const isClosed = refunds.some(({ refundedAt }) => refundedAt !== null);
        yield {
          id: returnId,
          order_id,
          status: isClosed ? 'closed' : returnReceivedAt === null ? 'requested' : 'received',
          reason_code: context.random('reason', order_id).pick(RETURN_REASONS),
          requested_at: timestampOf(returnedAt),
          received_at: timeOf(returnReceivedAt),
        };
      }
    },
  }),
  defineTable({
    name: 'return_items',
    comment: 'Lines of orders that were sent back, in whole or in part.',
    columns: {
      id: key(),
      return_id: ref('returns'),
      order_item_id: ref('order_items'),
      quantity: integer(),
      condition_code: text('A as new, B used, C damaged'),
      is_restocked: boolean(),
    },
    *rows(context) {
      let id = 0;
      for (const { returnId, returnReceivedAt, lines } of orders(shopOf(context)))
        for (const line of lines) {
          if (returnId === null || line.returned === 0) continue;
          const condition = context.random('condition', line.id).pick(['A', 'A', 'B', 'C']);
          yield {
            id: ++id,
            return_id: returnId,
            order_item_id: line.id,
            quantity: line.returned,
            condition_code: condition,
            is_restocked: returnReceivedAt !== null && condition !== 'C',
          };
        }
    },
  }),
  defineTable({
    name: 'refunds',
    comment: 'Money paid back, or about to be.',
    columns: {
      id: key(),
      payment_id: ref('payments'),
      return_id: nullable(ref('returns', integer('Missing for cancelled orders and goodwill.'))),
      reason_code: text('return, cancelled or goodwill'),
      amount: decimal('In the currency of the order.'),
      amount_usd: decimal(),
      requested_at: timestamp(),
      refunded_at: nullable(timestamp('When it was paid; missing while it is open.')),
    },
    *rows(context) {
      let id = 0;
      for (const { payments, returnId, refunds, rate } of orders(shopOf(context)))
        for (const { amount, reason, requestedAt, refundedAt, isReturn } of refunds)
          yield {
            id: ++id,
            payment_id: payments.at(-1)?.id ?? 0,
            return_id: isReturn ? returnId : null,
            reason_code: reason,
            amount,
            amount_usd: Math.round(amount * rate * 100) / 100,
            requested_at: timestampOf(requestedAt),
            refunded_at: timeOf(refundedAt),
          };
    },
  }),
  defineTable({
    name: 'seller_payouts',
    comment: 'What sellers get for the goods that were delivered in a month.',
    columns: {
      id: key(),
      seller_id: ref('sellers'),
      period_start: date(),
      period_end: date('Last day.'),
      gross_amount: decimal('Sales in US dollars.'),
      commission_amount: decimal("The shop's share."),
      net_amount: decimal('What the seller gets.'),
      status: text('paid, pending or held'),
      paid_at: nullable(timestamp()),
    },
    unique: [['seller_id', 'period_start']],
    *rows(context) {
      const shop = shopOf(context);
      const cents = new Map<string, number>();
      for (const { deliveredAt, lines } of orders(shop))
        for (const { product, totalUsd } of lines) {
          if (deliveredAt === null || product.sellerId === null) continue;
          const period = `${product.sellerId}/${monthOf(deliveredAt)}`;
          cents.set(period, (cents.get(period) ?? 0) + Math.round(totalUsd * 100));
        }
      let id = 0;
      for (let month = 0; month < MONTH_COUNT; month++)
        for (let seller = 1; seller <= SELLERS; seller++) {
          const gross = cents.get(`${seller}/${month}`) ?? 0;
          if (gross === 0) continue;
          const commission = Math.round((gross * commissionOf(context, seller)) / 100);
          const ends = monthStart(month + 1);
          const status = ends === END ? 'pending' : seller % 9 === 0 && month > 20 ? 'held' : 'paid';
          yield {
            id: ++id,
            seller_id: seller,
            period_start: dateOf(monthStart(month)),
            period_end: dateOf(ends - HOUR_MS),
            gross_amount: gross / 100,
            commission_amount: commission / 100,
            net_amount: (gross - commission) / 100,
            status,
            paid_at: status === 'paid' ? timestampOf(ends + 9 * DAY_MS + 10 * HOUR_MS) : null,
          };
        }
    },
  }),
];
