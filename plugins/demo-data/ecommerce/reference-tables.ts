/** Declares the small tables that others refer to: countries, money, taxes, staff, places. */

import { boolean, date, decimal, defineTable, integer, key, nullable, real, ref, text, unique } from '../table.ts';
import { DAY_MS, dateOf } from '../time.ts';
import { BRANDS, CATEGORIES, CHANNELS, COUNTRIES, CURRENCIES, FIRST_NAMES, LAST_NAMES, SEGMENTS } from './catalogue.ts';
import {
  ACCOUNTS,
  commissionOf,
  EMPLOYEES,
  END,
  FOUNDED,
  MONTH_COUNT,
  monthStart,
  rateOf,
  SELLERS,
  SUPPLIERS,
  WAREHOUSES,
} from './shop.ts';

const DEPARTMENTS = [
  'Management',
  'Customer Service',
  'Purchasing',
  'Logistics',
  'Marketing',
  'Engineering',
  'Finance',
  'Stores',
];
const CARRIERS: readonly [name: string, active: boolean][] = [
  ['UPS', true],
  ['FedEx', true],
  ['DHL', true],
  ['Royal Mail', true],
  ['Australia Post', true],
  ['Hermes', false],
];
const SHIFTS = [-2, 3, 1, 5, -1];
const code = (name: string) => name.toLowerCase().replace(/[^a-z]+/g, '-');

export const referenceTables = [
  defineTable({
    name: 'currencies',
    comment: 'Currencies that customers pay in.',
    columns: {
      code: key(text('ISO 4217 code.')),
      name: text(),
      symbol: text(),
      decimals: integer('Digits after the point.'),
    },
    *rows() {
      for (const [code, { name, symbol, decimals }] of Object.entries(CURRENCIES))
        yield { code, name, symbol, decimals };
    },
  }),
  defineTable({
    name: 'exchange_rates',
    comment: 'Rate of each currency on the first of each month.',
    columns: {
      currency_code: ref('currencies.code', text()),
      rate_date: date(),
      usd_rate: real('US dollars for one unit.'),
    },
    primaryKey: ['currency_code', 'rate_date'],
    *rows(context) {
      for (const currency_code of Object.keys(CURRENCIES))
        for (let month = 0; month < MONTH_COUNT; month++)
          yield {
            currency_code,
            rate_date: dateOf(monthStart(month)),
            usd_rate: rateOf(context, currency_code, month),
          };
    },
  }),
  defineTable({
    name: 'countries',
    comment: 'Countries that the shop delivers to.',
    columns: {
      code: key(text('ISO 3166 code.')),
      name: unique(text()),
      region: text(),
      currency_code: ref('currencies.code', text()),
      is_eu: boolean(),
    },
    *rows() {
      for (const { code, name, region, currency, isEu } of COUNTRIES.items)
        yield { code, name, region, currency_code: currency, is_eu: isEu };
    },
  }),
  defineTable({
    name: 'tax_rates',
    comment: 'Sales tax or value added tax of each country, with former rates.',
    columns: {
      id: key(),
      country_code: ref('countries.code', text()),
      name: text(),
      rate_percent: decimal(),
      valid_from: date(),
      valid_to: nullable(date('Last day; missing for the present rate.')),
    },
    *rows() {
      let id = 0;
      for (const { code, taxPercent } of COUNTRIES.items) {
        const name = code === 'US' ? 'Sales tax' : code === 'CA' || code === 'AU' ? 'GST' : 'VAT';
        const hadOther = code === 'CH' || code === 'AT' || code === 'ES';
        if (hadOther)
          yield {
            id: ++id,
            country_code: code,
            name,
            rate_percent: Math.round(taxPercent * 10 - 4) / 10,
            valid_from: '2020-01-01',
            valid_to: '2023-12-31',
          };
        yield {
          id: ++id,
          country_code: code,
          name,
          rate_percent: taxPercent,
          valid_from: hadOther ? '2024-01-01' : '2020-01-01',
          valid_to: null,
        };
      }
    },
  }),
  defineTable({
    name: 'departments',
    comment: 'Departments of the company.',
    columns: { id: key(), name: unique(text()), cost_center: text() },
    *rows() {
      for (const [index, name] of DEPARTMENTS.entries())
        yield { id: index + 1, name, cost_center: `CC-${(index + 1) * 100}` };
    },
  }),
  defineTable({
    name: 'employees',
    comment: 'Present and former staff.',
    columns: {
      id: key(),
      department_id: ref('departments'),
      manager_id: nullable(ref('employees')),
      full_name: text(),
      email: unique(text()),
      job_title: text(),
      hired_on: date(),
      left_on: nullable(date('Missing for those who work here.')),
    },
    *rows({ random }) {
      const heads = DEPARTMENTS.length;
      for (let id = 1; id <= EMPLOYEES; id++) {
        const own = random('employee', id);
        const department = id <= heads ? id : 1 + (own.chance(0.3) ? 1 : own.integer(1, heads - 1));
        const name = `${own.pick(FIRST_NAMES)} ${own.pick(LAST_NAMES)}`;
        const hired = FOUNDED + own.next() * 900 * DAY_MS;
        yield {
          id,
          department_id: department,
          manager_id: id === 1 ? null : id <= heads ? 1 : department,
          full_name: name,
          email: `${name.toLowerCase().replace(' ', '.')}.${id}@shop.example`,
          job_title:
            id === 1
              ? 'Managing Director'
              : id <= heads
                ? `Head of ${DEPARTMENTS[id - 1]}`
                : own.pick(['Specialist', 'Senior Specialist', 'Associate']),
          hired_on: dateOf(hired),
          left_on:
            id > heads && own.chance(0.18)
              ? dateOf(hired + 200 * DAY_MS + own.next() * (END - hired - 200 * DAY_MS))
              : null,
        };
      }
    },
  }),
  defineTable({
    name: 'warehouses',
    comment: 'Places that goods are shipped from.',
    columns: {
      id: key(),
      code: unique(text()),
      name: text(),
      country_code: ref('countries.code', text()),
      opened_on: date(),
      capacity_units: integer(),
    },
    *rows() {
      for (const [index, [code, name, country_code]] of WAREHOUSES.entries())
        yield {
          id: index + 1,
          code,
          name,
          country_code,
          opened_on: dateOf(FOUNDED + index * 120 * DAY_MS),
          capacity_units: 60_000 - index * 9_000,
        };
    },
  }),
  defineTable({
    name: 'carriers',
    comment: 'Companies that deliver parcels.',
    columns: {
      id: key(),
      name: unique(text()),
      tracking_url: nullable(text()),
      is_active: boolean('Whether new parcels are given to it.'),
    },
    *rows() {
      for (const [index, [name, is_active]] of CARRIERS.entries())
        yield {
          id: index + 1,
          name,
          tracking_url: is_active ? `https://track.example/${code(name)}/{number}` : null,
          is_active,
        };
    },
  }),
  defineTable({
    name: 'sales_channels',
    comment: 'Ways to order.',
    columns: { id: key(), name: unique(text()), kind: text('online, offline or partner') },
    *rows() {
      for (const [index, [name, kind]] of CHANNELS.entries()) yield { id: index + 1, name, kind };
    },
  }),
  defineTable({
    name: 'customer_segments',
    comment: 'Groups of customers that marketing works with.',
    columns: { id: key(), name: unique(text()), description: text() },
    *rows() {
      for (const [index, [name, description]] of SEGMENTS.entries()) yield { id: index + 1, name, description };
    },
  }),
  defineTable({
    name: 'categories',
    comment: 'Tree of product categories: departments on top, categories below.',
    columns: {
      id: key(),
      parent_id: nullable(ref('categories')),
      name: unique(text()),
      top_category: text('Name of the category on top; its own for those on top.'),
      slug: unique(text()),
      sort_order: integer(),
      is_active: boolean(),
    },
    *rows() {
      for (const { id, parentId, name } of CATEGORIES)
        yield {
          id,
          parent_id: parentId,
          name,
          top_category: CATEGORIES[(parentId ?? id) - 1]?.name ?? name,
          slug: code(name),
          sort_order: id * 10,
          is_active: name !== 'Outdoor Toys',
        };
    },
  }),
  defineTable({
    name: 'brands',
    comment: 'Brands of the products.',
    columns: {
      id: key(),
      name: unique(text()),
      country_code: nullable(ref('countries.code', text())),
      is_private_label: boolean("The shop's own brand."),
    },
    *rows({ random }) {
      for (const [index, name] of BRANDS.entries()) {
        const own = random('brand', index);
        yield {
          id: index + 1,
          name,
          country_code: own.chance(0.15) ? null : own.weighted(COUNTRIES).code,
          is_private_label: index % 9 === 4,
        };
      }
    },
  }),
  defineTable({
    name: 'suppliers',
    comment: 'Companies that the shop buys from.',
    columns: {
      id: key(),
      name: text(),
      country_code: ref('countries.code', text()),
      contact_email: nullable(text()),
      payment_terms_days: integer(),
      lead_time_days: integer('Agreed days from order to delivery.'),
      status_code: text('A active, H on hold, X ended'),
    },
    *rows({ random }) {
      for (let id = 1; id <= SUPPLIERS; id++) {
        const own = random('supplier', id);
        const name = `${own.pick(LAST_NAMES)} ${own.pick(['Trading', 'Manufacturing', 'Supply', 'Imports'])}`;
        yield {
          id,
          name,
          country_code: own.weighted(COUNTRIES).code,
          contact_email: own.chance(0.2) ? null : `orders@${code(name)}.example`,
          payment_terms_days: own.pick([14, 30, 30, 60]),
          lead_time_days: own.integer(5, 35),
          status_code: id % 11 === 0 ? 'X' : id % 7 === 0 ? 'H' : 'A',
        };
      }
    },
  }),
  defineTable({
    name: 'sellers',
    comment: "Merchants that sell on the shop's marketplace.",
    columns: {
      id: key(),
      name: text(),
      country_code: ref('countries.code', text()),
      commission_percent: decimal("The shop's share of the sales."),
      joined_on: date(),
      status: text('active, suspended or closed'),
      rating: nullable(decimal('Stars from 1 to 5.')),
    },
    *rows(context) {
      for (let id = 1; id <= SELLERS; id++) {
        const own = context.random('seller', id);
        yield {
          id,
          name: `${own.pick(LAST_NAMES)} ${own.pick(['Store', 'Outlet', 'Direct', 'Goods'])}`,
          country_code: own.weighted(COUNTRIES).code,
          commission_percent: commissionOf(context, id),
          joined_on: dateOf(FOUNDED + own.next() * 600 * DAY_MS),
          status: id % 13 === 0 ? 'closed' : id % 9 === 0 ? 'suspended' : 'active',
          rating: own.chance(0.12) ? null : own.integer(28, 50) / 10,
        };
      }
    },
  }),
  defineTable({
    name: 'accounts',
    comment: 'Companies that buy on account. Several customers (people) can belong to one account.',
    columns: {
      id: key(),
      company_name: text(),
      country_code: ref('countries.code', text()),
      tier: text('bronze, silver or gold'),
      credit_limit: decimal('In US dollars.'),
      account_manager_id: nullable(ref('employees')),
      is_active: boolean(),
      opened_on: date(),
    },
    *rows({ random }) {
      for (let id = 1; id <= ACCOUNTS; id++) {
        const own = random('account', id);
        const tier = own.pick(['bronze', 'bronze', 'bronze', 'silver', 'silver', 'gold']);
        const limit = { bronze: 5, silver: 20, gold: 75 }[tier] ?? 5;
        yield {
          id,
          company_name: `${own.pick(LAST_NAMES)} ${own.pick(['Group', 'Design', 'Partners', 'Logistics', 'Hotels', 'Clinics'])} ${id}`,
          country_code: own.weighted(COUNTRIES).code,
          tier,
          credit_limit: (limit + (SHIFTS[id % SHIFTS.length] as number)) * 1_000,
          account_manager_id: own.chance(0.15) ? null : own.integer(9, EMPLOYEES),
          is_active: own.chance(0.88),
          opened_on: dateOf(FOUNDED + own.next() * 1_000 * DAY_MS),
        };
      }
    },
  }),
];
