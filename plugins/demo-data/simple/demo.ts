/** Declares the `simple` demo: a shop of three tables. */
import { join } from 'node:path';
import {
  boolean,
  type Demo,
  date,
  decimal,
  defineTable,
  integer,
  key,
  nullable,
  ref,
  text,
  timestamp,
} from '../table.ts';
import { customers, orders } from './rows.ts';

export const simple: Demo = {
  name: 'simple',
  description: 'A shop: customers, orders and their items.',
  seed: 20_241_101,
  layer: join(import.meta.dirname, '..', '..', '..', 'semantic'),
  tables: [
    defineTable({
      name: 'customers',
      comment: 'People and businesses that signed up.',
      columns: {
        id: key(),
        name: text(),
        email: nullable(text()),
        phone: nullable(text()),
        segment: text(),
        country: text(),
        region: text(),
        city: nullable(text()),
        signup_date: date(),
        marketing_opt_in: boolean(),
      },
      *rows(context) {
        for (const customer of customers(context)) yield { ...customer };
      },
    }),
    defineTable({
      name: 'orders',
      comment: 'Orders with their status, channel, payment and amount.',
      columns: {
        id: key(),
        customer_id: ref('customers'),
        ordered_at: timestamp(),
        status: text(),
        channel: text(),
        payment_method: text(),
        total_amount: decimal('Sum of the lines; shipping is on top.'),
        shipping_cost: decimal(),
        shipped_at: nullable(timestamp()),
        rating: nullable(integer()),
      },
      indexes: [['ordered_at']],
      *rows(context) {
        for (const { order } of orders(context)) yield { ...order };
      },
    }),
    defineTable({
      name: 'order_items',
      comment: 'What was bought, how many of it, at what price and discount.',
      columns: {
        id: key(),
        order_id: ref('orders'),
        product_name: text(),
        category: text(),
        quantity: integer(),
        unit_price: decimal(),
        discount_percent: nullable(integer()),
        line_total: decimal(),
      },
      *rows(context) {
        for (const { items } of orders(context)) for (const item of items) yield { ...item };
      },
    }),
  ],
};
