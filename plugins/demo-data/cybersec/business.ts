/** Declares contracts, licenses, subscriptions, invoices, support tickets and shifts. */
import { weigh } from '../random.ts';
import { boolean, date, decimal, defineTable, integer, key, nullable, ref, text, timestamp, unique } from '../table.ts';
import { softwareProducts, vendors } from './assets.ts';
import { employees, organizations, slaPolicies, userOf } from './people.ts';
import * as world from './world.ts';

export const contracts = world.numberedTable(
  'contracts',
  'Contracts with vendors, from which we buy.',
  90,
  {
    id: key<number>(),
    vendor_id: ref('vendors', integer('The vendor.')),
    contract_number: unique(text('Number of the contract.')),
    kind: text('What is bought.'),
    yearly_value: decimal('Cost in a year in US dollars.'),
    starts_on: date('First day.'),
    ends_on: nullable(date('Last day. Missing for contracts without end.')),
    renews_automatically: boolean('Whether the contract goes on unless it is terminated.'),
  },
  (id, random, context) => {
    const starts = world.START + random.integer(-700, 500) * world.DAY_MS;
    return {
      id,
      vendor_id: world.skewed(random, vendors.size(context), 1.5),
      contract_number: `K-${2_000 + id}`,
      kind: random.pick(['license', 'license', 'support', 'service', 'hosting']),
      yearly_value: world.round(1_500 * 60 ** random.next(), 2),
      starts_on: world.dateOf(starts),
      ends_on: random.chance(0.15) ? null : world.dateOf(starts + random.pick([1, 1, 2, 3]) * 365 * world.DAY_MS),
      renews_automatically: random.chance(0.5),
    };
  },
);

export const licenses = world.numberedTable(
  'licenses',
  'Rights to use software, bought under a contract.',
  130,
  {
    id: key<number>(),
    contract_id: nullable(ref('contracts', integer('The contract. Missing for free licenses.'))),
    product_id: ref('software_products', integer('The software.')),
    license_type: text('What the license counts.'),
    seats: integer('How many may use it.'),
    seats_used: integer('How many use it. May be more than allowed.'),
    unit_cost: nullable(decimal('Cost of one seat in a year, in US dollars. Missing for free licenses.')),
    expires_on: nullable(date('Last day. Missing for licenses without end.')),
  },
  (id, random, context) => {
    const seats = random.pick([10, 25, 50, 100, 250, 500]);
    const isFree = random.chance(0.1);
    return {
      ...{ id, seats },
      contract_id: isFree ? null : random.integer(1, contracts.size(context)),
      product_id: random.integer(1, softwareProducts.size(context)),
      license_type: random.pick(['per user', 'per user', 'per device', 'site']),
      seats_used: Math.round(seats * (0.2 + 0.95 * random.next())),
      unit_cost: isFree ? null : world.round(4 * 40 ** random.next(), 2),
      expires_on: random.chance(0.15) ? null : world.dateOf(world.END + random.integer(-200, 600) * world.DAY_MS),
    };
  },
);

const PLANS = [
  ['Monitor', 9],
  ['Respond', 17],
  ['Complete', 29],
] as const;
export const subscriptions = world.numberedTable(
  'subscriptions',
  'What customers pay for: a plan with a number of protected devices.',
  118,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer.')),
    plan: text('Plan.'),
    device_count: integer('Devices that may be protected.'),
    monthly_price: decimal('Price of a month in US dollars.'),
    status: text('Where the subscription stands.'),
    started_on: date('First day.'),
    ended_on: nullable(date('Last day. Missing while it runs.')),
  },
  (id, random, context) => {
    const customers = organizations.size(context);
    const organization = organizations.row(context, ((id - 1) % customers) + 1);
    const isSecond = id > customers;
    const [plan, price] = random.pick(PLANS);
    const devices = Math.round((organization.id <= 8 ? 200 : 20) * 6 ** random.next());
    const started = Math.max(world.timeOf(organization.onboarded_on), world.START - 120 * world.DAY_MS);
    const ended = organization.churned_on ?? (isSecond && random.chance(0.3) ? '2026-06-30' : null);
    return {
      ...{ id, plan },
      organization_id: organization.id,
      device_count: devices,
      monthly_price: world.round(devices * price * (isSecond ? 0.4 : 1), 2),
      status: ended !== null && ended < '2026-11-01' ? 'ended' : organization.status === 'trial' ? 'trial' : 'active',
      started_on: world.dateOf(started),
      ended_on: ended,
    };
  },
);

export const invoices = defineTable({
  name: 'invoices',
  comment: 'Monthly invoices to customers.',
  columns: {
    id: key<number>(),
    subscription_id: ref('subscriptions', integer('The subscription that is charged.')),
    organization_id: ref('organizations', integer('The customer.')),
    invoice_number: unique(text('Number of the invoice.')),
    status: text('Where the invoice stands.'),
    amount: decimal('Amount in US dollars, without tax.'),
    issued_on: date('Day of the invoice.'),
    due_on: date('Day by which it must be paid.'),
    paid_on: nullable(date('Day of payment. Missing for invoices that are not paid.')),
  },
  *rows(context) {
    let id = 0;
    for (let month = 0; month < 18; month++) {
      const issued = Date.UTC(2025, 4 + month, 1);
      for (let number = 1; number <= subscriptions.size(context); number++) {
        const subscription = subscriptions.row(context, number);
        const { started_on, ended_on, status, organization_id, monthly_price } = subscription;
        const day = world.dateOf(issued);
        if (status === 'trial' || started_on > day || (ended_on !== null && ended_on < day)) continue;
        const random = context.random('invoices', number, month);
        const isVoid = random.chance(0.015);
        const paid =
          random.chance(0.96) && !isVoid
            ? world.dateIfPast(issued + Math.floor(2 + 60 * random.next() ** 2) * world.DAY_MS)
            : null;
        const due = issued + 45 * world.DAY_MS;
        yield {
          ...{ id: ++id, organization_id },
          subscription_id: number,
          invoice_number: `R-${day.slice(0, 7).replace('-', '')}-${String(number).padStart(4, '0')}`,
          status: isVoid ? 'void' : paid !== null ? 'paid' : due < world.END ? 'overdue' : 'open',
          amount: monthly_price,
          issued_on: day,
          due_on: world.dateOf(due),
          paid_on: paid,
        };
      }
    }
  },
});

const priorities = weigh([
  ['low', 25],
  ['normal', 50],
  ['high', 19],
  ['urgent', 6],
]);
export const tickets = world.numberedTable(
  'tickets',
  'Questions and complaints of customers to support.',
  1_400,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer that asked.')),
    requester_id: nullable(ref('users', integer('The user who asked. Missing for mails from unknown addresses.'))),
    agent_id: nullable(ref('employees', integer('The support agent who works on it. Missing until assigned.'))),
    sla_policy_id: ref('sla_policies', integer('The service level at the time.')),
    subject: text('What it is about.'),
    channel: text('How the customer asked.'),
    priority: text('Order of work.'),
    status: text('Where the ticket stands.'),
    reopened_count: integer('How often it was opened again.'),
    satisfaction: nullable(integer('Rating by the customer from 1 to 5, where there is one.')),
    opened_at: timestamp('When the ticket was opened.'),
    first_response_at: nullable(timestamp('When support first answered. Missing until then.')),
    solved_at: nullable(timestamp('When it was solved. Missing until then.')),
    response_minutes: nullable(integer('Minutes from the opening until the first answer.')),
    within_sla: nullable(boolean('Whether the first answer came within the time of the service level.')),
  },
  (id, random, context, size) => {
    const organization = organizations.row(context, world.skewed(random, organizations.size(context), 1.7));
    const sla = slaPolicies.row(context, organization.sla_policy_id);
    const opened = world.timeInOrder(id, size, random);
    const minutes = 2 + Math.floor(sla.first_response_minutes * 1.6 * random.next() ** 1.6);
    const answered = opened + 60_000 * minutes;
    const solved = answered + 60_000 * (sla.resolution_minutes * 1.5 * random.next() ** 2 + 10);
    const isStuck = random.chance(0.05);
    const solvedAt = isStuck ? null : world.timestampIfPast(solved);
    const answeredAt = isStuck && random.chance(0.3) ? null : world.timestampIfPast(answered);
    return {
      id,
      organization_id: organization.id,
      requester_id: random.chance(0.1) ? null : userOf(organization.id, random, context),
      agent_id: answeredAt === null ? null : world.skewed(random, employees.size(context), 1.6),
      sla_policy_id: sla.id,
      subject: random.pick([
        'Sign-in problem',
        'False alarm',
        'Sensor is offline',
        'Report wanted',
        'Invoice question',
        'New device',
      ]),
      channel: random.pick(['portal', 'portal', 'e-mail', 'e-mail', 'phone', 'chat']),
      priority: random.weighted(priorities),
      status: solvedAt !== null ? (random.chance(0.75) ? 'closed' : 'solved') : answeredAt ? 'pending' : 'open',
      reopened_count: solvedAt !== null && random.chance(0.1) ? random.integer(1, 3) : 0,
      satisfaction: solvedAt !== null && random.chance(0.4) ? random.pick([1, 2, 3, 4, 4, 5, 5, 5]) : null,
      opened_at: world.timestampOf(opened),
      first_response_at: answeredAt,
      solved_at: solvedAt,
      response_minutes: answeredAt === null ? null : minutes,
      within_sla: answeredAt === null ? null : minutes <= sla.first_response_minutes,
    };
  },
);

export const oncallShifts = world.numberedTable(
  'oncall_shifts',
  'Shifts in which an employee is on call.',
  310,
  {
    id: key<number>(),
    employee_id: ref('employees', integer('The employee on call.')),
    team: text('Team that the shift is for.'),
    is_backup: boolean('Whether the employee is called only when the first one does not answer.'),
    pages_received: integer('How often the employee was called.'),
    starts_at: timestamp('Begin of the shift.'),
    ends_at: timestamp('End of the shift.'),
  },
  (id, random, context, size) => {
    const isBackup = id % 2 === 0;
    const starts = world.START + Math.floor(((id - 1) / size) * 535) * world.DAY_MS + world.hours(8);
    return {
      id,
      employee_id: random.integer(1, employees.size(context)),
      team: random.pick(['operations', 'operations', 'platform', 'support']),
      is_backup: isBackup,
      pages_received: Math.floor((isBackup ? 3 : 14) * random.next() ** 2),
      starts_at: world.timestampOf(starts),
      ends_at: world.timestampOf(starts + random.pick([12, 24, 168]) * 3_600_000),
    };
  },
);
