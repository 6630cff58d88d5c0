/** Declares the streams of events: network, DNS, sign-ins, mail, and the archive of the old platform. */
import { weigh } from '../random.ts';
import { boolean, integer, key, nullable, ref, text, timestamp } from '../table.ts';
import { assets, noisyAsset } from './assets.ts';
import { indicators } from './intelligence.ts';
import { identities, organizations, userOf } from './people.ts';
import * as world from './world.ts';

/** Most events arrive within seconds; those of devices that were offline hours later. */
const arrival = (at: number, random: world.Draw) =>
  world.timestampOf(at + (random.chance(0.05) ? world.hours(40 * random.next()) : 1_000 * random.integer(1, 30)));

const actions = weigh([
  ['allow', 74],
  ['deny', 20],
  ['drop', 6],
]);
export const networkEvents = world.numberedTable(
  'network_events',
  'Connections that firewalls saw.',
  3_000,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer in whose network it was.')),
    asset_id: nullable(ref('assets', integer('The device inside the network, where it is known.'))),
    indicator_id: nullable(ref('indicators', integer('The indicator that the other side matches. Missing for most.'))),
    action: text('What the firewall did.'),
    direction: text('Whether the connection came in or went out.'),
    protocol: text('Protocol.'),
    source_ip: text('Address from which the connection came.'),
    destination_ip: text('Address to which it went.'),
    destination_port: integer('Port to which it went.'),
    bytes_sent: integer('Bytes sent.'),
    bytes_received: nullable(integer('Bytes received. Missing where the connection was refused.')),
    occurred_at: timestamp('When the connection was made.'),
    received_at: timestamp('When the event arrived at the platform.'),
  },
  (id, random, context, size) => {
    const asset = noisyAsset(random, context);
    const at = world.timeInOrder(id, size, random);
    const action = random.weighted(actions);
    const isMatch = random.chance(action === 'allow' ? 0.015 : 0.12);
    return {
      ...{ id, action },
      organization_id: asset.organization_id,
      asset_id: random.chance(0.12) ? null : asset.id,
      indicator_id: isMatch ? world.skewed(random, indicators.size(context), 1.8) : null,
      direction: random.chance(0.65) ? 'outbound' : 'inbound',
      protocol: random.pick(['tcp', 'tcp', 'tcp', 'udp', 'icmp']),
      source_ip: asset.ip_address,
      destination_ip: world.publicAddress(random),
      destination_port: random.pick([443, 443, 443, 80, 22, 53, 3_389, 445, 8_080]),
      bytes_sent: Math.round(60 * 50_000 ** random.next()),
      bytes_received: action === 'allow' ? Math.round(60 * 90_000 ** random.next()) : null,
      occurred_at: world.timestampOf(at),
      received_at: arrival(at, random),
    };
  },
);

export const dnsQueries = world.numberedTable(
  'dns_queries',
  'Names that devices asked for.',
  2_500,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer to whom the device belongs.')),
    asset_id: ref('assets', integer('The device that asked.')),
    indicator_id: nullable(ref('indicators', integer('The indicator that the name matches. Missing for most.'))),
    domain: text('Name that was asked for.'),
    record_type: text('Kind of record.'),
    response_code: text('Answer of the server.'),
    is_blocked: boolean('Whether the answer was withheld.'),
    queried_at: timestamp('When the device asked.'),
  },
  (id, random, context, size) => {
    const asset = noisyAsset(random, context);
    const isMatch = random.chance(0.03);
    const indicator = isMatch ? indicators.row(context, random.integer(1, indicators.size(context))) : undefined;
    const host = random.pick(['www', 'mail', 'cdn', 'update', 'login', 'files', 'api']);
    return {
      id,
      organization_id: asset.organization_id,
      asset_id: asset.id,
      indicator_id: indicator?.kind === 'domain' ? indicator.id : null,
      domain: indicator?.kind === 'domain' ? indicator.value : `${host}${random.integer(1, 40)}.example.org`,
      record_type: random.pick(['A', 'A', 'A', 'AAAA', 'MX', 'TXT']),
      response_code: random.pick(['NOERROR', 'NOERROR', 'NOERROR', 'NOERROR', 'NXDOMAIN', 'SERVFAIL']),
      is_blocked: indicator?.kind === 'domain' ? random.chance(0.8) : random.chance(0.01),
      queried_at: world.timestampOf(world.timeInOrder(id, size, random)),
    };
  },
);

const outcomes = weigh([
  ['success', 82],
  ['failure', 16],
  ['locked', 2],
]);
const REASONS = ['wrong password', 'wrong password', 'second factor failed', 'expired password', 'unknown device'];
export const authEvents = world.numberedTable(
  'auth_events',
  'Sign-ins to accounts, successful and not.',
  4_000,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whose account it is.')),
    identity_id: ref('identities', integer('The account.')),
    outcome: text('How the sign-in ended.'),
    failure_reason: nullable(text('Why it failed. Missing where it did not.')),
    method: text('How the person signed in.'),
    source_ip: text('Address from which it came.'),
    country: nullable(text('Country of the address, where it is known.')),
    risk_level: text('Risk of the sign-in in words.'),
    occurred_at: timestamp('When it happened.'),
    received_at: timestamp('When the event arrived at the platform.'),
  },
  (id, random, context, size) => {
    const count = identities.size(context);
    const identity = identities.row(context, world.spread(world.skewed(random, count, 2.4), count));
    const at = world.timeInOrder(id, size, random);
    const outcome = random.weighted(outcomes);
    return {
      ...{ id, outcome },
      organization_id: identity.organization_id,
      identity_id: identity.id,
      failure_reason: outcome === 'success' ? null : random.pick(REASONS),
      method: random.pick(['password', 'password', 'single sign-on', 'single sign-on', 'security key', 'certificate']),
      source_ip: world.publicAddress(random),
      country: random.chance(0.07) ? null : world.placeOf(random).country,
      risk_level: random.weighted(world.severityWords),
      occurred_at: world.timestampOf(at),
      received_at: arrival(at, random),
    };
  },
);

export const eventArchive = world.numberedTable(
  'event_archive',
  'Security events of the old platform until April 2025. Its severity runs the other way: 1 is the worst.',
  900,
  {
    event_no: key(text('Number on the old platform.')),
    event_ts: timestamp('When it happened.'),
    event_type: text('Kind of event, as a code.'),
    sev: integer('Severity of the old platform, from 1 (worst) to 5 (harmless).'),
    host_name: nullable(text('Name of the device.')),
    org_name: text('Name of the customer as it was written there.'),
    message: text('Text of the event.'),
  },
  (id, random, context) => {
    const organization = organizations.row(context, world.skewed(random, organizations.size(context)));
    const asset = assets.row(context, random.integer(1, assets.size(context)));
    const type = random.pick(['AUTH_FAIL', 'AUTH_FAIL', 'MALWARE', 'PORT_SCAN', 'POLICY', 'USB']);
    return {
      event_no: `E${String(7_000_000 + id)}`,
      event_ts: world.timestampOf(world.START - random.next() * 480 * world.DAY_MS - 1),
      event_type: type,
      sev: 6 - random.weighted(world.severityCodes),
      host_name: random.chance(0.15) ? null : asset.hostname,
      org_name: random.chance(0.3) ? organization.name.toUpperCase() : organization.name,
      message: `${type} reported by collector ${random.integer(1, 6)}`,
    };
  },
);

const SUBJECTS = [
  'Invoice attached',
  'Your parcel',
  'Password expires',
  'Shared document',
  'Salary update',
  'Voice mail',
];
export const emailThreats = world.numberedTable(
  'email_threats',
  'Dangerous or unwanted mails to users of the customers.',
  1_100,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer that got the mail.')),
    recipient_user_id: nullable(
      ref('users', integer('The user to whom it was addressed. Missing for shared mailboxes.')),
    ),
    kind: text('Kind of threat.'),
    severity: text('Severity in words.'),
    sender_domain: text('Domain of the sender.'),
    subject: text('Subject of the mail.'),
    action: text('What was done with it.'),
    reported_by_user: boolean('Whether a user reported it.'),
    received_at: timestamp('When the mail arrived.'),
    detected_at: timestamp('When it was recognized, at times days later.'),
  },
  (id, random, context, size) => {
    const organization = world.skewed(random, organizations.size(context), 1.8);
    const at = world.timeInOrder(id, size, random);
    const kind = random.pick(['phishing', 'phishing', 'phishing', 'spam', 'spam', 'malware', 'impersonation']);
    const isLate = random.chance(0.12);
    return {
      ...{ id, kind },
      organization_id: organization,
      recipient_user_id: random.chance(0.1) ? null : userOf(organization, random, context),
      severity: kind === 'spam' ? 'low' : random.weighted(world.severityWords),
      sender_domain: `${world.hexOf(random, 6)}.example.net`,
      subject: random.pick(SUBJECTS),
      action: isLate
        ? random.pick(['removed after delivery', 'delivered'])
        : random.pick(['quarantined', 'quarantined', 'rejected']),
      reported_by_user: isLate && random.chance(0.6),
      received_at: world.timestampOf(at),
      detected_at: world.timestampOf(at + (isLate ? world.hours(70 * random.next()) : 3_000)),
    };
  },
);
