/** Declares reviews and requests to customer service. */
import { weigh } from '../random.ts';
import { boolean, defineTable, integer, key, nullable, ref, text, timestamp } from '../table.ts';
import { DAY_MS, HOUR_MS, timestampOf } from '../time.ts';
import { orders } from './order.ts';
import { END, type Shop, shopOf } from './shop.ts';

const RATINGS = weigh([
  [5, 44],
  [4, 29],
  [3, 13],
  [2, 6],
  [1, 8],
]);
const TOPICS = weigh([
  ['delivery', 34],
  ['return', 24],
  ['product', 18],
  ['payment', 14],
  ['login', 10],
]);

interface Ticket {
  readonly id: number;
  readonly customer: number;
  readonly order: number | null;
  readonly topic: string;
  readonly openedAt: number;
  readonly answeredAt: number | null;
  readonly closedAt: number | null;
  readonly agent: number | null;
  readonly messages: number;
}

function* tickets(shop: Shop): Generator<Ticket> {
  let id = 0;
  for (const order of orders(shop)) {
    const random = shop.context.random('ticket', order.id);
    if (order.customer.isTest || !random.chance(order.returnedAt === null ? 0.13 : 0.4)) continue;
    const openedAt = order.at + DAY_MS * (0.5 + 9 * random.next());
    if (openedAt >= END) continue;
    const topic = order.returnedAt === null ? random.weighted(TOPICS) : 'return';
    const answers = openedAt + HOUR_MS * (0.2 + 40 * random.next() * random.next());
    const closes = answers + HOUR_MS * (1 + 150 * random.next() * random.next());
    const closedAt = closes < END && !random.chance(0.04) ? closes : null;
    const isAnswered = answers < END && (closedAt !== null || random.chance(0.8));
    yield {
      id: ++id,
      customer: order.customer.id,
      order: topic === 'login' ? null : order.id,
      topic,
      openedAt,
      answeredAt: isAnswered ? answers : null,
      closedAt,
      agent: isAnswered ? random.integer(9, 40) : null,
      messages: random.integer(1, 4),
    };
  }
}

export const serviceTables = [
  defineTable({
    name: 'reviews',
    comment: 'Reviews of products.',
    columns: {
      id: key(),
      product_id: ref('products'),
      customer_id: ref('customers'),
      order_item_id: nullable(ref('order_items', integer('Missing where no purchase is known.'))),
      rating: integer('Stars from 1 to 5.'),
      title: nullable(text()),
      status: text('published, pending or rejected'),
      helpful_votes: integer(),
      created_at: timestamp(),
      deleted_at: nullable(timestamp()),
    },
    *rows(context) {
      let id = 0;
      for (const { customer, lines, deliveredAt } of orders(shopOf(context)))
        for (const line of lines) {
          const random = context.random('review', line.id);
          const at = (deliveredAt ?? END) + DAY_MS * (1 + 30 * random.next());
          if (at >= END || customer.isTest || !random.chance(0.15)) continue;
          const rating = line.returned > 0 ? random.integer(1, 3) : random.weighted(RATINGS);
          yield {
            id: ++id,
            product_id: line.product.id,
            customer_id: customer.id,
            order_item_id: random.chance(0.12) ? null : line.id,
            rating,
            title: random.chance(0.35)
              ? null
              : (['Sent it back', 'Not for me', 'It does its job', 'Good value', 'Excellent'][rating - 1] as string),
            status: random.chance(0.05) ? 'rejected' : at > END - 4 * DAY_MS ? 'pending' : 'published',
            helpful_votes: Math.floor(random.next() * random.next() * 12),
            created_at: timestampOf(at),
            deleted_at: random.chance(0.02) ? timestampOf(Math.min(END - 1_000, at + 5 * DAY_MS)) : null,
          };
        }
    },
  }),
  defineTable({
    name: 'support_tickets',
    comment: 'Requests to customer service.',
    columns: {
      id: key(),
      customer_id: ref('customers'),
      order_id: nullable(ref('orders')),
      assigned_to: nullable(ref('employees')),
      topic: text(),
      priority: integer('1 urgent, 2 high, 3 normal, 4 low'),
      status: text('open, waiting or closed'),
      satisfaction: nullable(integer('1 to 5, asked after closing.')),
      opened_at: timestamp(),
      first_response_at: nullable(timestamp()),
      closed_at: nullable(timestamp()),
    },
    *rows(context) {
      for (const { id, customer, order, topic, openedAt, answeredAt, closedAt, agent } of tickets(shopOf(context))) {
        const random = context.random('service', id);
        yield {
          id,
          customer_id: customer,
          order_id: order,
          assigned_to: agent,
          topic,
          priority: random.pick([1, 2, 2, 3, 3, 3, 3, 4]),
          status: closedAt !== null ? 'closed' : answeredAt === null ? 'open' : 'waiting',
          satisfaction: closedAt !== null && random.chance(0.5) ? random.weighted(RATINGS) : null,
          opened_at: timestampOf(openedAt),
          first_response_at: answeredAt === null ? null : timestampOf(answeredAt),
          closed_at: closedAt === null ? null : timestampOf(closedAt),
        };
      }
    },
  }),
  defineTable({
    name: 'ticket_messages',
    comment: 'Messages in the requests to customer service.',
    columns: {
      id: key(),
      ticket_id: ref('support_tickets'),
      author: text('customer or agent'),
      employee_id: nullable(ref('employees')),
      is_internal: boolean('A note that the customer does not see.'),
      sent_at: timestamp(),
    },
    *rows(context) {
      let id = 0;
      for (const { id: ticket_id, openedAt, answeredAt, agent, messages } of tickets(shopOf(context))) {
        yield {
          id: ++id,
          ticket_id,
          author: 'customer',
          employee_id: null,
          is_internal: false,
          sent_at: timestampOf(openedAt),
        };
        for (let number = 0; answeredAt !== null && number < messages; number++) {
          const isAgent = number % 2 === 0;
          yield {
            id: ++id,
            ticket_id,
            author: isAgent ? 'agent' : 'customer',
            employee_id: isAgent ? agent : null,
            is_internal: isAgent && number > 0 && ticket_id % 4 === 0,
            sent_at: timestampOf(answeredAt + number * HOUR_MS),
          };
        }
      }
    },
  }),
];
