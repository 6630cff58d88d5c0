/** Declares frameworks, controls, policies, risks and audits. */
import { boolean, date, decimal, integer, key, nullable, ref, text, unique } from '../table.ts';
import { assets, vendors } from './assets.ts';
import { employees, organizations } from './people.ts';
import * as world from './world.ts';

const FRAMEWORKS = [
  ['Cloud baseline', '3.1', false],
  ['Data protection', '2.0', true],
  ['Information security', '2024', false],
  ['Payment security', '4', true],
  ['Critical services', '1.2', true],
] as const;
export const frameworks = world.numberedTable(
  'frameworks',
  'Collections of controls that customers must or want to follow.',
  () => FRAMEWORKS.length,
  {
    id: key<number>(),
    name: unique(text('Name of the framework.')),
    version: text('Version.'),
    is_mandatory: boolean('Whether the law demands it of some customers.'),
  },
  (id) => {
    const [name, version, is_mandatory] = FRAMEWORKS[id - 1]!;
    return { id, name, version, is_mandatory };
  },
);

const FAMILIES = ['access', 'logging', 'encryption', 'backup', 'supplier', 'incident response', 'awareness', 'network'];
export const controls = world.numberedTable(
  'controls',
  'Single demands of a framework.',
  90,
  {
    id: key<number>(),
    framework_id: ref('frameworks', integer('The framework that demands it.')),
    code: unique(text('Short code, such as C-014.')),
    title: text('What is demanded.'),
    family: text('Field that the control belongs to.'),
    weight: integer('How much the control counts, from 1 to 5.'),
    is_automated: boolean('Whether the platform tests it by itself.'),
  },
  (id, random) => {
    const family = FAMILIES[(id - 1) % FAMILIES.length]!;
    return {
      ...{ id, family },
      framework_id: ((id - 1) % FRAMEWORKS.length) + 1,
      code: `C-${String(id).padStart(3, '0')}`,
      title: `${family[0]!.toUpperCase()}${family.slice(1)} requirement ${Math.ceil(id / FAMILIES.length)}`,
      weight: random.integer(1, 5),
      is_automated: random.chance(0.4),
    };
  },
);

export const audits = world.numberedTable(
  'audits',
  'Examinations of a customer against a framework.',
  46,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer that was examined.')),
    framework_id: ref('frameworks', integer('The framework.')),
    kind: text('Who examined.'),
    result: nullable(text('How the audit ended. Missing until it has ended.')),
    finding_count: nullable(integer('Number of objections of the auditor. Missing until the audit has ended.')),
    cost: nullable(decimal('Cost in US dollars. Missing for audits by ourselves.')),
    started_on: date('First day.'),
    ended_on: nullable(date('Last day. Missing until it has ended.')),
  },
  (id, random, context, size) => {
    const started = world.timeInOrder(id, size, random);
    const ended = world.dateIfPast(started + random.integer(5, 45) * world.DAY_MS);
    const kind = random.pick(['external', 'external', 'internal']);
    return {
      ...{ id, kind },
      organization_id: world.skewed(random, organizations.size(context), 1.4),
      framework_id: random.integer(1, FRAMEWORKS.length),
      result: ended === null ? null : random.pick(['passed', 'passed', 'passed with objections', 'failed']),
      finding_count: ended === null ? null : Math.floor(15 * random.next() ** 2),
      cost: kind === 'internal' ? null : random.integer(6, 60) * 500,
      started_on: world.dateOf(started),
      ended_on: ended,
    };
  },
);

export const controlAssessments = world.numberedTable(
  'control_assessments',
  'Tests of whether a customer meets a control.',
  900,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer that was tested.')),
    control_id: ref('controls', integer('The control.')),
    audit_id: nullable(ref('audits', integer('The audit in which it was tested. Missing for tests by the platform.'))),
    assessor_id: nullable(ref('employees', integer('The employee who tested. Missing for automatic tests.'))),
    result: text('Whether the control is met.'),
    score: nullable(integer('Degree to which it is met, in percent. Missing where it does not apply.')),
    assessed_on: date('Day of the test.'),
    next_due_on: nullable(date('Day of the next test. Missing where none is planned.')),
  },
  (id, random, context, size) => {
    const assessed = world.timeInOrder(id, size, random);
    const audit = random.chance(0.35) ? audits.row(context, random.integer(1, audits.size(context))) : undefined;
    const result = random.pick(['met', 'met', 'met', 'met', 'partly met', 'partly met', 'not met', 'not applicable']);
    const [low, high] = { met: [85, 100], 'partly met': [40, 84] }[result] ?? [0, 39];
    return {
      ...{ id, result },
      organization_id: audit?.organization_id ?? world.skewed(random, organizations.size(context), 1.4),
      control_id: random.integer(1, controls.size(context)),
      audit_id: audit?.id ?? null,
      assessor_id: random.chance(0.4) ? null : world.skewed(random, employees.size(context)),
      score: result === 'not applicable' ? null : random.integer(low!, high!),
      assessed_on: audit?.started_on ?? world.dateOf(assessed),
      next_due_on: random.chance(0.2) ? null : world.dateOf(assessed + 180 * world.DAY_MS),
    };
  },
);

const TOPICS = [
  'Passwords',
  'Remote work',
  'Data retention',
  'Mobile devices',
  'Suppliers',
  'Incident response',
  'Encryption',
];
export const policies = world.numberedTable(
  'policies',
  'Written rules of our own for security.',
  28,
  {
    id: key<number>(),
    owner_id: ref('employees', integer('The employee who is responsible.')),
    title: text('Title.'),
    version: text('Version.'),
    status: text('Whether the policy is in force.'),
    approved_on: nullable(date('Day of approval. Missing for drafts.')),
    review_due_on: nullable(date('Day of the next review. Missing for policies that were replaced.')),
  },
  (id, random, context) => {
    const status = id % 4 === 0 ? 'replaced' : random.chance(0.15) ? 'draft' : 'in force';
    return {
      ...{ id, status },
      owner_id: random.integer(1, employees.size(context)),
      title: `${TOPICS[(id - 1) % TOPICS.length]} policy`,
      version: `${1 + Math.floor((id - 1) / TOPICS.length)}.${random.integer(0, 5)}`,
      approved_on: status === 'draft' ? null : world.dateOf(world.END - random.integer(20, 700) * world.DAY_MS),
      review_due_on: status === 'replaced' ? null : world.dateOf(world.END + random.integer(-120, 300) * world.DAY_MS),
    };
  },
);

const THREATS = [
  'Ransomware',
  'Supplier outage',
  'Data leak',
  'Insider',
  'Lost device',
  'Outdated systems',
  'Weak passwords',
];
export const risks = world.numberedTable(
  'risks',
  'Risk register: what could go wrong at a customer or with a vendor.',
  160,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer at risk.')),
    vendor_id: nullable(ref('vendors', integer('The vendor from whom the risk comes, if any.'))),
    owner_id: nullable(ref('employees', integer('The employee who watches the risk.'))),
    title: text('What could happen.'),
    likelihood: integer('How likely it is, from 1 to 5.'),
    impact: integer('How bad it would be, from 1 to 5.'),
    risk_score: integer('Likelihood times impact, from 1 to 25.'),
    treatment: text('What is done about it.'),
    status: text('Where the risk stands.'),
    identified_on: date('Day on which it was written down.'),
    closed_on: nullable(date('Day on which it was closed. Missing while it is not.')),
  },
  (id, random, context, size) => {
    const [likelihood, impact] = [random.pick([1, 2, 2, 3, 3, 4, 5]), random.pick([1, 2, 3, 3, 4, 4, 5])];
    const identified = world.timeInOrder(id, size, random);
    const closed = random.chance(0.4) ? world.dateIfPast(identified + random.integer(20, 300) * world.DAY_MS) : null;
    const treatment = random.pick(['reduce', 'reduce', 'reduce', 'accept', 'transfer', 'avoid']);
    return {
      ...{ id, likelihood, impact, treatment },
      organization_id: world.skewed(random, organizations.size(context), 1.4),
      vendor_id: random.chance(0.25) ? random.integer(1, vendors.size(context)) : null,
      owner_id: random.chance(0.12) ? null : world.skewed(random, employees.size(context)),
      title: random.pick(THREATS),
      risk_score: likelihood * impact,
      status: closed !== null ? 'closed' : treatment === 'accept' ? 'accepted' : 'open',
      identified_on: world.dateOf(identified),
      closed_on: closed,
    };
  },
);

export const riskExceptions = world.numberedTable(
  'risk_exceptions',
  'Permissions to leave a risk or a policy breach as it is for some time.',
  90,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer that asked for it.')),
    risk_id: nullable(ref('risks', integer('The risk. Missing where it is about a policy.'))),
    policy_id: nullable(ref('policies', integer('The policy. Missing where it is about a risk.'))),
    asset_id: nullable(ref('assets', integer('The device that it is about. Missing where it is about all.'))),
    approved_by_id: nullable(ref('employees', integer('The employee who approved it. Missing until approved.'))),
    status: text('Where the request stands.'),
    reason: text('Why it was asked for.'),
    requested_on: date('Day of the request.'),
    expires_on: nullable(date('Last day. Missing until approved.')),
  },
  (id, random, context, size) => {
    const requested = world.timeInOrder(id, size, random);
    const isApproved = random.chance(0.7);
    const expires = requested + random.pick([30, 90, 180, 365]) * world.DAY_MS;
    const asset = assets.row(context, world.spread(id * 11, assets.size(context)));
    const risk = random.integer(1, risks.size(context));
    const isOfRisk = random.chance(0.6);
    return {
      id,
      organization_id: isOfRisk ? risks.row(context, risk).organization_id : asset.organization_id,
      risk_id: isOfRisk ? risk : null,
      policy_id: isOfRisk ? null : random.integer(1, policies.size(context)),
      asset_id: isOfRisk || random.chance(0.3) ? null : asset.id,
      approved_by_id: isApproved ? random.integer(1, employees.size(context)) : null,
      status: !isApproved ? random.pick(['requested', 'rejected']) : expires < world.END ? 'expired' : 'approved',
      reason: random.pick(['no patch', 'old system', 'cost', 'test', 'migration']),
      requested_on: world.dateOf(requested),
      expires_on: isApproved ? world.dateOf(expires) : null,
    };
  },
);
