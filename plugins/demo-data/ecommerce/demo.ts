/** Declares the `ecommerce` demo: a shop and marketplace in twelve countries, 52 tables. */
import { join } from 'node:path';
import type { Demo } from '../table.ts';
import { customerTables } from './customer-tables.ts';
import { promotionTables, visitTables } from './marketing-tables.ts';
import { orderTables } from './order-tables.ts';
import { productTables } from './product-tables.ts';
import { referenceTables } from './reference-tables.ts';
import { serviceTables } from './service-tables.ts';

const [loyaltyTransactions, ...people] = customerTables.toReversed();

export const ecommerce: Demo = {
  name: 'ecommerce',
  description: 'A shop and marketplace in twelve countries, from purchasing to customer service.',
  seed: 20_260_101,
  layer: join(import.meta.dirname, 'semantic'),
  tables: [
    ...referenceTables,
    ...productTables,
    ...people.toReversed(),
    ...promotionTables,
    ...orderTables,
    ...(loyaltyTransactions === undefined ? [] : [loyaltyTransactions]),
    ...visitTables,
    ...serviceTables,
  ],
};
