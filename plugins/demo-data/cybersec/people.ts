/** Declares the customers of the `cybersec` demo and the people, accounts and groups of both sides. */
import { weigh } from '../random.ts';
import { boolean, date, defineTable, integer, key, nullable, ref, text, timestamp, unique } from '../table.ts';
import * as world from './world.ts';

const PLANS = [
  ['Basic', 480, 5_760, false],
  ['Standard', 240, 2_880, false],
  ['Premium', 60, 1_440, true],
  ['Dedicated', 15, 480, true],
] as const;
export const slaPolicies = world.numberedTable(
  'sla_policies',
  'Service levels that customers buy: how fast support answers and solves.',
  () => PLANS.length,
  {
    id: key<number>(),
    name: unique(text('Name of the service level.')),
    first_response_minutes: integer('Minutes within which a ticket is answered.'),
    resolution_minutes: integer('Minutes within which a ticket is solved.'),
    around_the_clock: boolean('Whether support works at night and on weekends.'),
  },
  (id) => {
    const [name, first_response_minutes, resolution_minutes, around_the_clock] = PLANS[id - 1]!;
    return { id, name, first_response_minutes, resolution_minutes, around_the_clock };
  },
);

const DEPARTMENTS = weigh([
  ['security operations', 44],
  ['support', 24],
  ['engineering', 14],
  ['compliance', 8],
  ['sales', 10],
]);
const JOBS: Readonly<Record<string, string>> = {
  'security operations': 'Security analyst',
  support: 'Support specialist',
  engineering: 'Detection engineer',
  compliance: 'Compliance manager',
  sales: 'Sales representative',
};
export const employees = world.numberedTable(
  'employees',
  'Our own staff: analysts, support agents, engineers and account managers.',
  64,
  {
    id: key<number>(),
    name: text('First and last name.'),
    email: unique(text('Work e-mail address.')),
    department: text('Department.'),
    job_title: text('Job title.'),
    tier: nullable(integer('Experience of an analyst or support agent from 1 to 3. Missing for others.')),
    manager_id: nullable(ref('employees', integer('The employee to whom this one reports.'))),
    hired_on: date('First day of work.'),
    left_on: nullable(date('Last day of work, where the employee has left.')),
  },
  (id, random) => {
    const name = world.personName(random);
    const department = random.weighted(DEPARTMENTS);
    const hired = world.START - random.integer(30, 1_900) * world.DAY_MS;
    const tier = /operations|support/.test(department) ? random.pick([1, 1, 1, 2, 2, 3]) : null;
    return {
      ...{ id, name, department, tier },
      email: `${name.replace(' ', '.').toLowerCase()}${id}@soc.example.com`,
      job_title: JOBS[department]!,
      manager_id: id <= 3 ? null : random.integer(1, Math.min(id - 1, 8)),
      hired_on: world.dateOf(hired),
      left_on: random.chance(0.12) ? world.dateOf(world.START + random.integer(60, 540) * world.DAY_MS) : null,
    };
  },
);

const ROLES = [
  ['Viewer', 'people', false],
  ['Investigator', 'people', false],
  ['Responder', 'people', false],
  ['Auditor', 'people', false],
  ['Billing contact', 'people', false],
  ['Asset manager', 'people', false],
  ['Administrator', 'people', true],
  ['Owner', 'people', true],
  ['API client', 'programs', false],
  ['Sync service', 'programs', true],
  ['Read-only support', 'our support', false],
  ['Support with access', 'our support', true],
] as const;
const roleNumbers = weigh([
  [1, 46],
  [2, 20],
  [3, 10],
  [4, 5],
  [5, 4],
  [6, 6],
  [7, 7],
  [8, 2],
] as const);
export const roles = world.numberedTable(
  'roles',
  'Roles on the platform, which decide what their holders may do.',
  () => ROLES.length,
  {
    id: key<number>(),
    name: unique(text('Name of the role.')),
    scope: text('Kind of holder that the role is made for.'),
    is_privileged: boolean('Whether the role may change settings or other accounts.'),
  },
  (id) => {
    const [name, scope, is_privileged] = ROLES[id - 1]!;
    return { id, name, scope, is_privileged };
  },
);

const STEMS =
  'Velmora Brenholt Oskavia Luminar Tarquill Dunmerry Fennick Harvane Ivorell Jorvale Kestrin Lorvick Mossane Norwyck Ostrava Pellmar Quillon Rethmar Sollmere Thornavel Ulverne Vantrice Wexholm Yarrovane Zellmark Ambrick Corvane Delmora Estwick Glavinor'.split(
    ' ',
  );
const INDUSTRIES = weigh([
  ['healthcare', 18],
  ['finance', 20],
  ['manufacturing', 19],
  ['retail', 15],
  ['public sector', 12],
  ['technology', 16],
]);
const BUSINESS: Readonly<Record<string, string>> = {
  healthcare: 'Clinics',
  finance: 'Credit',
  manufacturing: 'Works',
  retail: 'Stores',
  'public sector': 'Council',
  technology: 'Software',
};
export const organizations = world.numberedTable(
  'organizations',
  'Customers whose systems are protected. Tenants of the platform.',
  80,
  {
    id: key<number>(),
    name: unique(text('Name of the customer.')),
    domain: text('Domain of its e-mail addresses.'),
    industry: text('Industry.'),
    size_band: text('Number of people who work there.'),
    country: text('Country of its head office.'),
    region: text('Part of the world that the country belongs to.'),
    status: text('Whether the organization is a customer.'),
    sla_policy_id: ref('sla_policies', integer('The service level that it bought.')),
    account_manager_id: nullable(ref('employees', integer('The employee who looks after the customer.'))),
    onboarded_on: date('First day as a customer.'),
    churned_on: nullable(date('Last day as a customer, where it has left.')),
  },
  (id, random, context, size) => {
    const industry = random.weighted(INDUSTRIES);
    const series = Math.floor((id - 1) / STEMS.length);
    const stem = STEMS[(id - 1) % STEMS.length]!;
    const name = `${stem} ${BUSINESS[industry]}${series > 0 ? ` ${series + 1}` : ''}`;
    const { country, region } = world.placeOf(random);
    const onboarded = world.START - 400 * world.DAY_MS + (id / size) * 780 * world.DAY_MS;
    const status = id > 12 && random.chance(0.13) ? 'churned' : random.chance(0.09) ? 'trial' : 'active';
    const churned = Math.min(world.END - 5 * world.DAY_MS, onboarded + random.integer(120, 500) * world.DAY_MS);
    return {
      ...{ id, name, industry, country, region, status },
      domain: `${name.replaceAll(' ', '').toLowerCase()}.example.com`,
      size_band: id <= 8 ? '5000+' : random.pick(['1-99', '100-499', '100-499', '500-4999', '500-4999']),
      sla_policy_id: id <= 8 ? 4 : random.pick([1, 2, 2, 2, 3, 3]),
      account_manager_id: random.chance(0.06) ? null : random.integer(1, employees.size(context)),
      onboarded_on: world.dateOf(onboarded),
      churned_on: status === 'churned' ? world.dateOf(churned) : null,
    };
  },
);

export const sites = world.numberedTable(
  'sites',
  'Offices, plants, stores and data centers of the customers.',
  200,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer to whom the site belongs.')),
    name: text('Name of the site.'),
    kind: text('Kind of site.'),
    country: text('Country in which the site is.'),
    city: text('City in which the site is.'),
    headcount: nullable(integer('People who work there. Missing for data centers and where it is not known.')),
    closed_on: nullable(date('Day on which the site was closed. Missing while it is in use.')),
  },
  (id, random, context) => {
    const customers = organizations.size(context);
    const owner = organizations.row(context, ((id - 1) % customers) + 1);
    const kind = id <= customers ? 'office' : random.pick(['office', 'plant', 'store', 'data center']);
    const { country, city } =
      id <= customers ? { ...world.placeOf(random), country: owner.country } : world.placeOf(random);
    const isUnknown = kind === 'data center' || random.chance(0.08);
    return {
      ...{ id, kind, country, city },
      organization_id: owner.id,
      name: `${owner.name.split(' ')[0]} ${kind} ${id}`,
      headcount: isUnknown ? null : Math.round(8 * 40 ** random.next()),
      closed_on: random.chance(0.06) ? world.dateOf(world.START + random.integer(1, 540) * world.DAY_MS) : null,
    };
  },
);

/** One of the organization's sites, most often its first; some things are nowhere. */
export function siteOf(organization: number, random: world.Draw, context: world.Context): number | null {
  const customers = organizations.size(context);
  const site = organization + customers * random.pick([0, 0, 0, 1, 1, 2]);
  if (random.chance(0.1)) return null;
  return site <= sites.size(context) ? site : Math.min(organization, sites.size(context));
}

export const users = world.numberedTable(
  'users',
  'People who work at the customers: the end users whose accounts and devices are protected.',
  1_500,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer for whom the person works.')),
    site_id: nullable(ref('sites', integer('The site at which the person works.'))),
    role_id: ref('roles', integer('The role of the person on the platform.')),
    name: text('First and last name.'),
    email: unique(text('E-mail address.')),
    department: nullable(text('Department, where known.')),
    status: text('Whether the account of the person on the platform is usable.'),
    mfa_enabled: boolean('Whether the person signs in with a second factor.'),
    risk_score: nullable(integer('Risk of the person by behavior, from 0 to 100. Missing before the first month.')),
    created_at: timestamp('When the person was added.'),
    last_login_at: nullable(timestamp('Last sign-in to the platform. Missing for those who never signed in.')),
    deleted_at: nullable(timestamp('When the person was deleted. The row is kept.')),
  },
  (id, random, context, size) => {
    const owner = world.ownerOf(id, size, organizations.size(context));
    const organization = organizations.row(context, owner);
    const name = world.personName(random);
    const begins = Math.max(world.START - 300 * world.DAY_MS, world.timeOf(organization.onboarded_on));
    const created = begins + random.next() ** 1.6 * (world.END - begins);
    const deleted = random.chance(0.07) ? created + random.next() * (world.END - created) : undefined;
    const login = created + random.next() ** 0.3 * ((deleted ?? world.END) - created);
    return {
      ...{ id, name },
      organization_id: owner,
      site_id: siteOf(owner, random, context),
      role_id: random.weighted(roleNumbers),
      email: `${name.replace(' ', '.').toLowerCase()}${id}@${organization.domain}`,
      department: random.chance(0.12)
        ? null
        : random.pick(['operations', 'sales', 'accounting', 'IT', 'HR', 'research']),
      status: deleted === undefined ? (random.chance(0.05) ? 'suspended' : 'active') : 'deleted',
      mfa_enabled: random.chance(owner <= 8 ? 0.85 : 0.6),
      risk_score: random.chance(0.08) ? null : Math.floor(100 * random.next() ** 2.4),
      created_at: world.timestampOf(created),
      last_login_at: random.chance(0.15) ? null : world.timestampOf(login),
      deleted_at: deleted === undefined ? null : world.timestampOf(deleted),
    };
  },
);
const userOwner = (id: number, context: world.Context) =>
  world.ownerOf(id, users.size(context), organizations.size(context));
/** One of the organization's users. */
export const userOf = (organization: number, random: world.Draw, context: world.Context): number | null =>
  world.ownedBy(organization, users.size(context), organizations.size(context), random) ?? null;

export const legacyUsers = world.numberedTable(
  'legacy_users',
  'Users as exported from the old platform in January 2026. Not updated since; many are in `users` too.',
  700,
  {
    user_no: key(text('Number on the old platform.')),
    login: text('Name used to sign in.'),
    mail: nullable(text('E-mail address as it was written there.')),
    full_nm: text('Last and first name.'),
    org_code: text('Code of the customer on the old platform.'),
    active_flag: text('Y for active, N for inactive, U for unknown.'),
    exported_on: date('Day of the export.'),
  },
  (id, random, context) => {
    const user = users.row(context, world.spread(id, users.size(context)));
    const [first = '', last = ''] = user.name.split(' ');
    return {
      user_no: `U-${String(100_000 + id)}`,
      login: `${first[0]}${last}`.toLowerCase(),
      mail: random.chance(0.15) ? null : user.email.toUpperCase(),
      full_nm: `${last}, ${first}`,
      org_code: `C${String(user.organization_id).padStart(4, '0')}`,
      active_flag: random.pick(['Y', 'Y', 'Y', 'N', 'N', 'U']),
      exported_on: '2026-01-15',
    };
  },
);

export const identities = world.numberedTable(
  'identities',
  'Accounts in the sign-in systems of the customers: of people, of services, and shared ones.',
  1_900,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whose account it is.')),
    user_id: nullable(
      ref('users', integer('The person who uses the account. Missing for services and shared accounts.')),
    ),
    provider: text('System that keeps the account.'),
    username: text('Name used to sign in.'),
    kind: text('Who or what uses the account.'),
    is_privileged: boolean('Whether the account has administrative rights.'),
    mfa_method: nullable(text('Second factor. Missing where there is none.')),
    password_changed_on: nullable(date('When the password was last changed, where the account has one.')),
    last_used_at: nullable(timestamp('Last sign-in. Missing for accounts that were never used.')),
    disabled_at: nullable(timestamp('When the account was disabled. Missing while it is in use.')),
  },
  (id, random, context) => {
    const people = users.size(context);
    const isFirst = id <= people;
    const kind = isFirst ? 'person' : random.pick(['person', 'service', 'service', 'shared']);
    const user = kind === 'person' ? (isFirst ? id : world.spread(id, people)) : null;
    const owner = user === null ? world.skewed(random, organizations.size(context)) : userOwner(user, context);
    const isPrivileged = random.chance(kind === 'service' ? 0.4 : isFirst ? 0.06 : 0.3);
    const method = random.pick(['authenticator app', 'authenticator app', 'security key', 'text message']);
    return {
      ...{ id, kind },
      organization_id: owner,
      user_id: user,
      provider: isFirst ? 'directory' : random.pick(['directory', 'cloud', 'VPN', 'single sign-on']),
      username: kind === 'person' ? `p${10_000 + (user ?? 0)}` : `${kind === 'service' ? 'svc' : 'team'}-${id}`,
      is_privileged: isPrivileged,
      mfa_method: kind !== 'person' || random.chance(isPrivileged ? 0.15 : 0.35) ? null : method,
      password_changed_on: random.chance(0.1)
        ? null
        : world.dateOf(world.END - random.next() ** 2 * 900 * world.DAY_MS),
      last_used_at: random.chance(0.07)
        ? null
        : world.timestampOf(world.END - random.next() ** 3 * 400 * world.DAY_MS - 1),
      disabled_at: random.chance(0.09) ? world.timestampOf(world.END - random.next() * 400 * world.DAY_MS - 1) : null,
    };
  },
);

export const userGroups = world.numberedTable(
  'user_groups',
  'Groups of users at the customers, which give rights or receive mail together.',
  160,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whose group it is.')),
    name: text('Name of the group.'),
    kind: text('What the group is for.'),
    is_privileged: boolean('Whether members get administrative rights.'),
    created_on: date('Day on which the group was created.'),
  },
  (id, random, context) => {
    const organization = ((id - 1) % organizations.size(context)) + 1;
    const kind = id <= organizations.size(context) ? 'access' : random.pick(['access', 'mail', 'project']);
    return {
      ...{ id, kind },
      organization_id: organization,
      name: `${random.pick(['Everyone', 'Finance', 'Remote access', 'Server admins', 'Research'])} ${id}`,
      is_privileged: kind === 'access' && random.chance(0.3),
      created_on: world.dateOf(world.START - random.integer(-500, 600) * world.DAY_MS),
    };
  },
);

export const groupMemberships = defineTable({
  name: 'group_memberships',
  comment: 'Which users are or were members of which groups.',
  primaryKey: ['group_id', 'user_id'],
  columns: {
    group_id: ref('user_groups', integer('The group.')),
    user_id: ref('users', integer('The member.')),
    added_on: date('Day on which the user joined the group.'),
    removed_on: nullable(date('Day on which the user left the group. Missing while a member.')),
  },
  *rows(context) {
    const customers = organizations.size(context);
    for (let user_id = 1; user_id <= users.size(context); user_id++) {
      const random = context.random('group_memberships', user_id);
      const owner = userOwner(user_id, context);
      for (const [group_id, share] of [[owner, 0.75] as const, [owner + customers, 0.4] as const]) {
        if (group_id > userGroups.size(context) || !random.chance(share)) continue;
        const added = world.START + random.integer(-200, 520) * world.DAY_MS;
        const removed = random.chance(0.12) ? world.dateIfPast(added + random.integer(10, 300) * world.DAY_MS) : null;
        yield { group_id, user_id, added_on: world.dateOf(added), removed_on: removed };
      }
    }
  },
});
