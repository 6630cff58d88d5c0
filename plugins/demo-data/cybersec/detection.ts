/** Declares what the operations center works with: rules, detections, alerts and incidents. */
import { weigh } from '../random.ts';
import {
  boolean,
  date,
  decimal,
  defineTable,
  integer,
  key,
  nullable,
  real,
  ref,
  text,
  timestamp,
  unique,
} from '../table.ts';
import { noisyAsset } from './assets.ts';
import { threatActors } from './intelligence.ts';
import { employees } from './people.ts';
import * as world from './world.ts';

const TACTICS = ['Initial access', 'Execution', 'Persistence', 'Credential access', 'Lateral movement', 'Exfiltration'];
const SOURCES = ['endpoint', 'endpoint', 'network', 'identity', 'e-mail', 'cloud'];
export const detectionRules = world.numberedTable(
  'detection_rules',
  'Rules that decide what is suspicious.',
  110,
  {
    id: key<number>(),
    name: unique(text('Name of the rule.')),
    tactic: text('What an attacker would want to reach.'),
    source: text('Kind of data that the rule reads.'),
    severity_code: integer('Severity of its detections from 1 (informational) to 5 (critical).'),
    author_id: nullable(ref('employees', integer('The employee who wrote the rule. Missing for bought rules.'))),
    is_enabled: boolean('Whether the rule is in use.'),
    created_on: date('Day on which the rule was created.'),
    retired_on: nullable(date('Day on which the rule was given up. Missing while it is not.')),
  },
  (id, random, context) => {
    const tactic = random.pick(TACTICS);
    const isRetired = random.chance(0.1);
    return {
      ...{ id, tactic },
      name: `${tactic} rule ${String(id).padStart(3, '0')}`,
      source: random.pick(SOURCES),
      severity_code: random.weighted(world.severityCodes),
      author_id: random.chance(0.3) ? null : random.integer(1, employees.size(context)),
      is_enabled: !isRetired && random.chance(0.92),
      created_on: world.dateOf(world.START - random.integer(1, 700) * world.DAY_MS),
      retired_on: isRetired ? world.dateOf(world.START + random.integer(100, 540) * world.DAY_MS) : null,
    };
  },
);

const verdicts = weigh([
  ['false positive', 46],
  ['benign', 24],
  ['true positive', 30],
]);
export const alerts = world.numberedTable(
  'alerts',
  'Suspicious happenings that analysts look at. Made from one or more detections.',
  2_400,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whom the alert is about.')),
    asset_id: nullable(
      ref('assets', integer('The device that the alert is about. Missing where it is about an account.')),
    ),
    rule_id: ref('detection_rules', integer('The rule of its first detection.')),
    analyst_id: nullable(
      ref('employees', integer('The employee who looks at the alert. Missing until it is assigned.')),
    ),
    severity: text('Severity in words.'),
    status: text('Where the alert stands.'),
    verdict: nullable(text('What the alert turned out to be. Missing until it is closed.')),
    occurred_at: timestamp('When it happened on the device.'),
    detected_at: timestamp('When a rule saw it.'),
    created_at: timestamp('When the alert was stored.'),
    acknowledged_at: nullable(timestamp('When an analyst began to look at it.')),
    closed_at: nullable(timestamp('When the alert was closed. Missing while it is open.')),
    minutes_to_acknowledge: nullable(integer('Minutes from the storing of the alert until an analyst looked at it.')),
  },
  (id, random, context, size) => {
    const asset = noisyAsset(random, context);
    const rule = detectionRules.row(context, world.skewed(random, detectionRules.size(context), 2.2));
    const occurred = world.timeInOrder(id, size, random);
    // Devices that were offline report late.
    const detected = occurred + (random.chance(0.09) ? world.hours(90 * random.next()) : 120_000 * random.next());
    const created = detected + 1_000 * random.integer(1, 90);
    const code = Math.min(5, Math.max(1, rule.severity_code + (asset.criticality >= 4 ? 1 : 0)));
    const acknowledged = created + world.hours((7 - code) * 3 * random.next() ** 3 + 0.05);
    const closed = random.chance(0.9) ? acknowledged + world.hours(60 * random.next() ** 3) : world.END;
    const isClosed = closed < world.END;
    const isTaken = acknowledged < world.END && (isClosed || random.chance(0.6));
    return {
      id,
      organization_id: asset.organization_id,
      asset_id: rule.source === 'identity' ? null : asset.id,
      rule_id: rule.id,
      analyst_id: isTaken ? world.skewed(random, employees.size(context), 1.4) : null,
      severity: world.wordOfCode(code),
      status: isClosed ? 'closed' : isTaken ? 'in progress' : 'new',
      verdict: isClosed ? random.weighted(verdicts) : null,
      occurred_at: world.timestampOf(occurred),
      detected_at: world.timestampOf(detected),
      created_at: world.timestampOf(created),
      acknowledged_at: isTaken ? world.timestampOf(acknowledged) : null,
      closed_at: isClosed ? world.timestampOf(closed) : null,
      minutes_to_acknowledge: isTaken ? world.round((acknowledged - created) / 60_000) : null,
    };
  },
);

export const detections = world.numberedTable(
  'detections',
  'Single matches of a rule. Most do not become an alert.',
  (context) => 2 * alerts.size(context),
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer to whom the device belongs.')),
    asset_id: ref('assets', integer('The device on which it happened.')),
    rule_id: ref('detection_rules', integer('The rule that matched.')),
    alert_id: nullable(ref('alerts', integer('The alert made from it. Missing where there is none.'))),
    severity_code: integer('Severity from 1 (informational) to 5 (critical).'),
    confidence: real('How sure the rule is, from 0 to 1.'),
    is_suppressed: boolean('Whether an exception says to ignore it.'),
    occurred_at: timestamp('When it happened on the device.'),
    detected_at: timestamp('When the rule saw it.'),
    created_at: timestamp('When the detection was stored, at times hours later.'),
  },
  (id, random, context) => {
    // Of each two, the first is that of an alert, the second stands alone or repeats it.
    const alert = alerts.row(context, Math.ceil(id / 2));
    const isOfAlert = alert.asset_id !== null && (id % 2 === 1 || random.chance(0.25));
    const other = noisyAsset(random, context);
    const rule = detectionRules.row(
      context,
      isOfAlert ? alert.rule_id : world.skewed(random, detectionRules.size(context), 2.2),
    );
    const occurred = world.timeOf(alert.occurred_at) + (id % 2 === 1 ? 0 : world.hours(random.next()));
    const detected = Math.max(occurred + 5_000, world.timeOf(alert.detected_at));
    return {
      id,
      organization_id: isOfAlert ? alert.organization_id : other.organization_id,
      asset_id: isOfAlert ? alert.asset_id! : other.id,
      rule_id: rule.id,
      alert_id: isOfAlert ? alert.id : null,
      severity_code: rule.severity_code,
      confidence: world.round(0.2 + 0.8 * random.next(), 2),
      is_suppressed: !isOfAlert && random.chance(0.3),
      occurred_at: world.timestampOf(occurred),
      detected_at: world.timestampOf(detected),
      created_at: world.timestampOf(detected + (random.chance(0.06) ? world.hours(30 * random.next()) : 4_000)),
    };
  },
);

const CATEGORIES = ['malware', 'phishing', 'stolen account', 'data leak', 'ransomware', 'misuse'];
export const playbooks = world.numberedTable(
  'playbooks',
  'Written procedures for incidents.',
  18,
  {
    id: key<number>(),
    name: unique(text('Name of the playbook.')),
    category: text('Kind of incident that it is for.'),
    owner_id: nullable(ref('employees', integer('The employee who keeps it up to date.'))),
    step_count: integer('Number of steps.'),
    automated_step_count: integer('Number of steps that run by themselves.'),
    is_active: boolean('Whether the playbook is in use.'),
    last_reviewed_on: nullable(date('Day of the last review. Missing for those never reviewed.')),
  },
  (id, random, context) => {
    const category = CATEGORIES[(id - 1) % CATEGORIES.length]!;
    const steps = random.integer(5, 22);
    return {
      ...{ id, category },
      name: `${['Contain', 'Investigate', 'Recover from'][Math.floor((id - 1) / 6) % 3]} ${category}${id > 18 ? ` ${id}` : ''}`,
      owner_id: random.chance(0.2) ? null : random.integer(1, employees.size(context)),
      step_count: steps,
      automated_step_count: Math.floor(steps * random.next() * 0.8),
      is_active: random.chance(0.85),
      last_reviewed_on: random.chance(0.25) ? null : world.dateOf(world.END - random.integer(5, 500) * world.DAY_MS),
    };
  },
);

const severities = weigh([
  ['low', 30],
  ['medium', 40],
  ['high', 22],
  ['critical', 8],
] as const);
export const incidents = world.numberedTable(
  'incidents',
  'Attacks and mishaps at customers that needed more than a look at an alert.',
  280,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer at which it happened.')),
    title: text('Short description.'),
    category: text('Kind of incident.'),
    severity: text('Severity in words.'),
    priority: integer('Order of work from 1 (first) to 4 (last). Here a low number is urgent.'),
    status: text('Where the incident stands.'),
    lead_id: nullable(ref('employees', integer('The employee who leads the work. Missing until assigned.'))),
    playbook_id: nullable(ref('playbooks', integer('The playbook that was followed, where there was one.'))),
    threat_actor_id: nullable(ref('threat_actors', integer('The group behind it, where it is known.'))),
    records_affected: nullable(integer('Records of persons that were affected. Missing where it is not known.')),
    cost_estimate: nullable(decimal('Estimated damage in US dollars. Missing where it was not estimated.')),
    occurred_at: timestamp('When it began, as far as it is known.'),
    detected_at: timestamp('When it was first detected.'),
    declared_at: timestamp('When it was declared an incident.'),
    contained_at: nullable(timestamp('When it could not spread any more. Missing until then.')),
    resolved_at: nullable(timestamp('When it was over. Missing until then.')),
    hours_to_contain: nullable(real('Hours from the first detection until it could not spread any more.')),
    hours_to_resolve: nullable(real('Hours from the first detection until it was over.')),
  },
  (id, random, context) => {
    const alert = alerts.row(context, firstAlertOf(id, context));
    const severity = random.weighted(severities);
    const rank = world.SEVERITIES.indexOf(severity);
    const category = random.pick([...CATEGORIES, 'phishing', 'malware']);
    const detected = world.timeOf(alert.detected_at);
    const declared = detected + world.hours(20 * random.next() ** 2 + 0.2);
    const contained = declared + world.hours((2 + 8 * rank) * 3 * random.next() + 0.5);
    const resolved = contained + world.hours((12 + 60 * rank) * random.next() + 2);
    const isStuck = random.chance(0.06);
    const resolvedAt = isStuck ? null : world.timestampIfPast(resolved);
    const containedAt = isStuck && random.chance(0.5) ? null : world.timestampIfPast(contained);
    return {
      ...{ id, category, severity },
      organization_id: alert.organization_id,
      title: `${category[0]!.toUpperCase()}${category.slice(1)} at customer ${alert.organization_id}`,
      priority: Math.min(4, Math.max(1, 4 - rank + (random.chance(0.2) ? 1 : 0))),
      status: resolvedAt !== null ? (random.chance(0.8) ? 'closed' : 'resolved') : containedAt ? 'contained' : 'open',
      lead_id: random.chance(0.05) ? null : world.skewed(random, employees.size(context), 1.5),
      playbook_id: random.chance(0.3) ? null : random.integer(1, playbooks.size(context)),
      threat_actor_id: random.chance(0.2) ? world.skewed(random, threatActors.size(context)) : null,
      records_affected: random.chance(0.55) ? null : Math.floor(20_000 * random.next() ** 5),
      cost_estimate: random.chance(0.4) ? null : world.round(800 * 120 ** (random.next() ** 1.4) * (1 + rank), 2),
      occurred_at: alert.occurred_at,
      detected_at: alert.detected_at,
      declared_at: world.timestampOf(Math.min(declared, world.END - 1_000)),
      contained_at: containedAt,
      resolved_at: resolvedAt,
      hours_to_contain: containedAt === null ? null : world.round((contained - detected) / world.hours(1), 1),
      hours_to_resolve: resolvedAt === null ? null : world.round((resolved - detected) / world.hours(1), 1),
    };
  },
);
function firstAlertOf(incident: number, context: world.Context): number {
  return 1 + Math.floor(((incident - 1) * alerts.size(context)) / incidents.size(context));
}

export const incidentAlerts = defineTable({
  name: 'incident_alerts',
  comment: 'Which alerts belong to which incident.',
  primaryKey: ['incident_id', 'alert_id'],
  columns: {
    incident_id: ref('incidents', integer('The incident.')),
    alert_id: ref('alerts', integer('The alert.')),
    is_first: boolean('Whether the incident began with this alert.'),
    linked_at: timestamp('When the alert was added to the incident.'),
  },
  *rows(context) {
    for (let incident_id = 1; incident_id <= incidents.size(context); incident_id++) {
      const incident = incidents.row(context, incident_id);
      const random = context.random('incident_alerts', incident_id);
      const first = firstAlertOf(incident_id, context);
      const end = Math.min(alerts.size(context), firstAlertOf(incident_id + 1, context) - 1);
      for (let alert_id = first; alert_id <= Math.max(first, end); alert_id++) {
        const isFirst = alert_id === first;
        const isRelated = alerts.row(context, alert_id).organization_id === incident.organization_id;
        if (!isFirst && !(isRelated && random.chance(0.9))) continue;
        const linked = world.timeOf(incident.declared_at) + (isFirst ? 0 : world.hours(9 * random.next()));
        yield { incident_id, alert_id, is_first: isFirst, linked_at: world.timestampOf(linked) };
      }
    }
  },
});

const NOTES = [
  'Asked the customer',
  'Isolated the device',
  'Reset the password',
  'Collected logs',
  'Blocked the address',
];
export const incidentTimeline = defineTable({
  name: 'incident_timeline',
  comment: 'What happened in an incident, step by step.',
  columns: {
    id: key<number>(),
    incident_id: ref('incidents', integer('The incident.')),
    employee_id: nullable(
      ref('employees', integer('The employee who wrote the entry. Missing for automatic entries.')),
    ),
    entry_type: text('Kind of entry.'),
    note: nullable(text('What was done.')),
    occurred_at: timestamp('When it happened.'),
    recorded_at: timestamp('When it was written down, at times a day later.'),
  },
  *rows(context) {
    let id = 0;
    for (let incident_id = 1; incident_id <= incidents.size(context); incident_id++) {
      const random = context.random('incident_timeline', incident_id);
      const { declared_at, contained_at, resolved_at, lead_id } = incidents.row(context, incident_id);
      const declared = world.timeOf(declared_at);
      const end = Math.min(world.END - 1_000, resolved_at ? world.timeOf(resolved_at) : declared + world.hours(72));
      const notes = Array.from({ length: random.integer(1, 4) }, () => declared + random.next() * (end - declared));
      const entries: readonly (readonly [string, number])[] = [
        ['declared', declared] as const,
        ...notes.sort((a, b) => a - b).map((at) => ['note', at] as const),
        ...(contained_at ? [['contained', world.timeOf(contained_at)] as const] : []),
        ...(resolved_at ? [['resolved', world.timeOf(resolved_at)] as const] : []),
      ];
      for (const [entry_type, at] of entries) {
        const recorded = at + (random.chance(0.1) ? world.hours(26 * random.next()) : 60_000 * random.integer(0, 20));
        yield {
          ...{ id: ++id, incident_id, entry_type },
          employee_id: entry_type === 'declared' ? null : (lead_id ?? random.integer(1, employees.size(context))),
          note: entry_type === 'note' ? random.pick(NOTES) : null,
          occurred_at: world.timestampOf(at),
          recorded_at: world.timestampOf(recorded),
        };
      }
    }
  },
});

export const evidence = world.numberedTable(
  'evidence',
  'Files and images that were kept for an incident.',
  420,
  {
    id: key<number>(),
    incident_id: ref('incidents', integer('The incident.')),
    collected_by_id: nullable(ref('employees', integer('The employee who collected it. Missing for automatic ones.'))),
    kind: text('Kind of evidence.'),
    file_name: text('Name of the file.'),
    checksum: text('Checksum of the file.'),
    size_mb: decimal('Size in megabytes.'),
    is_sealed: boolean('Whether it may not be changed any more.'),
    collected_at: timestamp('When it was collected.'),
  },
  (id, random, context) => {
    const incident = incidents.row(
      context,
      world.spread(world.skewed(random, incidents.size(context), 1.5), incidents.size(context)),
    );
    const kind = random.pick(['log', 'log', 'memory image', 'disk image', 'e-mail', 'screenshot']);
    const collected = world.timeOf(incident.declared_at) + world.hours(30 * random.next() ** 2);
    return {
      ...{ id, kind },
      incident_id: incident.id,
      collected_by_id: random.chance(0.25) ? null : world.skewed(random, employees.size(context), 1.5),
      file_name: `case-${incident.id}-${id}.${kind === 'log' ? 'log' : 'bin'}`,
      checksum: world.hexOf(random, 32),
      size_mb: world.round((kind.endsWith('image') ? 900 : 1) * 9 ** random.next(), 2),
      is_sealed: random.chance(0.7),
      collected_at: world.timestampOf(collected),
    };
  },
);
