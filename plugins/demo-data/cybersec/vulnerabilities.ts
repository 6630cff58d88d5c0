/** Declares vulnerabilities, the scans that look for them, what they find, and the patches against it. */
import { weigh } from '../random.ts';
import { boolean, date, integer, key, nullable, real, ref, text, timestamp, unique } from '../table.ts';
import { assets, noisyAsset, softwareProducts } from './assets.ts';
import { organizations } from './people.ts';
import * as world from './world.ts';

/** Seven of nine vulnerabilities have a patch. */
const hasPatch = (vulnerability: number) => vulnerability % 9 < 7;
const patchedBy = (patch: number) => Math.floor((patch - 1) / 7) * 9 + [1, 2, 3, 4, 5, 6, 9][(patch - 1) % 7]!;
const patchedIn = (count: number) => Math.floor(count / 9) * 7 + Math.min(6, count % 9);

const FLAWS = ['Code execution', 'Privilege escalation', 'Information leak', 'Denial of service', 'Login bypass'];
export const vulnerabilities = world.numberedTable(
  'vulnerabilities',
  'Known weaknesses of software, with made-up numbers.',
  380,
  {
    id: key<number>(),
    code: unique(text('Number of the vulnerability, such as DEMO-2026-0007.')),
    title: text('What the vulnerability is.'),
    product_id: ref('software_products', integer('The software that has it.')),
    cvss_score: real('Technical score from 0.0 to 10.0.'),
    severity: text('Severity in words, from the score.'),
    is_exploited: boolean('Whether attackers use it.'),
    patch_available: boolean('Whether the vendor has published a patch.'),
    published_on: date('Day of publication.'),
  },
  (id, random, context, size) => {
    const published = world.START - 200 * world.DAY_MS + (id / size) * 745 * world.DAY_MS;
    const score = world.round(2.1 + 7.9 * random.next() ** 0.8, 1);
    const flaw = random.pick(FLAWS);
    const product = softwareProducts.row(context, world.skewed(random, softwareProducts.size(context), 1.6));
    return {
      id,
      code: `DEMO-${world.dateOf(published).slice(0, 4)}-${String(id).padStart(4, '0')}`,
      title: `${flaw} in ${product.name}`,
      product_id: product.id,
      cvss_score: score,
      severity: score >= 9 ? 'critical' : score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low',
      is_exploited: random.chance(score >= 7 ? 0.2 : 0.04),
      patch_available: hasPatch(id),
      published_on: world.dateOf(published),
    };
  },
);

export const scans = world.numberedTable(
  'scans',
  'Runs of scanners that look for vulnerabilities on the devices of a customer.',
  640,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer that was scanned.')),
    scanner: text('Scanner.'),
    kind: text('From where the scan looked.'),
    status: text('How the scan ended.'),
    assets_scanned: nullable(integer('Devices that were scanned. Missing for scans that failed.')),
    started_at: timestamp('When the scan began.'),
    finished_at: nullable(timestamp('When the scan ended. Missing for scans that failed.')),
  },
  (id, random, context, size) => {
    const started = world.timeInOrder(id, size, random);
    const status = random.pick([
      'completed',
      'completed',
      'completed',
      'completed',
      'completed',
      'failed',
      'cancelled',
    ]);
    return {
      ...{ id, status },
      organization_id: ((id - 1) % organizations.size(context)) + 1,
      scanner: random.pick(['Lantern', 'Lantern', 'Sonar', 'Plumb']),
      kind: random.pick(['internal', 'internal', 'external', 'authenticated']),
      assets_scanned: status === 'failed' ? null : random.integer(3, 150),
      started_at: world.timestampOf(started),
      finished_at: status === 'failed' ? null : world.timestampOf(started + world.hours(0.3 + 6 * random.next() ** 2)),
    };
  },
);
/** The last scan of the customer before a time, or its first. */
function scanBefore(owner: number, at: number, context: world.Context): number {
  const [count, customers] = [scans.size(context), organizations.size(context)];
  const share = ((at - world.START) / (world.END - world.START)) ** (1 / 0.85);
  const rounds = Math.max(0, Math.floor((share * count - owner) / customers));
  const scan = owner + rounds * customers;
  return scan <= count ? scan : Math.max(1, Math.min(count, scan - customers));
}

const findingStates = weigh([
  ['fixed', 58],
  ['open', 31],
  ['accepted', 7],
  ['false positive', 4],
]);
export const findings = world.numberedTable(
  'findings',
  'Vulnerabilities that scans found on devices.',
  5_000,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer to whom the device belongs.')),
    asset_id: ref('assets', integer('The device.')),
    vulnerability_id: ref('vulnerabilities', integer('The vulnerability.')),
    scan_id: nullable(ref('scans', integer('The scan that found it. Missing where a person reported it.'))),
    severity_code: integer(
      'Severity for this device from 1 (informational) to 5 (critical), by vulnerability and device.',
    ),
    status: text('Where the finding stands.'),
    detected_at: timestamp('When the scan saw it.'),
    created_at: timestamp('When the finding was stored, at times days later.'),
    due_on: nullable(date('Day by which it must be fixed. Missing for findings of severity 1.')),
    fixed_at: nullable(timestamp('When it was fixed. Missing for findings that are not.')),
    days_to_fix: nullable(integer('Whole days from the detection until it was fixed.')),
    fixed_in_time: nullable(
      boolean('Whether it was fixed by the due date. Missing where it was not fixed or has none.'),
    ),
  },
  (id, random, context, size) => {
    const asset = noisyAsset(random, context);
    const vulnerability = vulnerabilities.row(context, world.skewed(random, vulnerabilities.size(context), 1.5));
    const known = Math.max(world.START, world.timeOf(vulnerability.published_on));
    const detected = Math.max(known, world.timeInOrder(id, size, random));
    const fixed = world.timestampIfPast(detected + world.hours(12 * 250 ** random.next()));
    const drawn = random.weighted(findingStates);
    const status = drawn === 'fixed' && fixed === null ? 'open' : drawn;
    const base = 1 + world.SEVERITIES.indexOf(vulnerability.severity as 'low');
    const severity = Math.min(5, Math.max(1, base + (asset.criticality >= 4 ? 1 : asset.criticality <= 1 ? -1 : 0)));
    const due = severity === 1 ? null : world.dateOf(detected + [90, 90, 60, 30, 7][severity - 1]! * world.DAY_MS);
    const fixedAt = status === 'fixed' ? fixed : null;
    const delay = random.chance(0.07) ? random.integer(24, 200) : random.next();
    return {
      ...{ id, status },
      organization_id: asset.organization_id,
      asset_id: asset.id,
      vulnerability_id: vulnerability.id,
      scan_id: random.chance(0.05) ? null : scanBefore(asset.organization_id, detected, context),
      severity_code: severity,
      detected_at: world.timestampOf(detected),
      created_at: world.timestampOf(detected + world.hours(delay)),
      due_on: due,
      fixed_at: fixedAt,
      fixed_in_time: fixedAt === null || due === null ? null : fixedAt.slice(0, 10) <= due,
      days_to_fix: fixedAt !== null ? Math.floor((world.timeOf(fixedAt) - detected) / world.DAY_MS) : null,
    };
  },
);

export const patches = world.numberedTable(
  'patches',
  'Updates of software that close vulnerabilities.',
  (context) => patchedIn(vulnerabilities.size(context)),
  {
    id: key<number>(),
    product_id: ref('software_products', integer('The software.')),
    vulnerability_id: ref('vulnerabilities', integer('The vulnerability that it closes.')),
    name: unique(text('Name of the patch.')),
    requires_restart: boolean('Whether the device must be restarted.'),
    released_on: date('Day of publication.'),
    superseded_by_id: nullable(ref('patches', integer('The newer patch that replaces this one.'))),
  },
  (id, random, context) => {
    const vulnerability = vulnerabilities.row(context, patchedBy(id));
    const released = world.timeOf(vulnerability.published_on) + random.integer(0, 40) * world.DAY_MS;
    return {
      id,
      product_id: vulnerability.product_id,
      vulnerability_id: vulnerability.id,
      name: `PATCH-${String(10_000 + id)}`,
      requires_restart: random.chance(0.4),
      released_on: world.dateOf(Math.min(released, world.END - world.DAY_MS)),
      // Newer patches replace older ones; they are inserted first, so the lower number is the newer one here.
      superseded_by_id: id > 20 && random.chance(0.15) ? random.integer(1, id - 1) : null,
    };
  },
);

export const patchDeployments = world.numberedTable(
  'patch_deployments',
  'Attempts to install a patch on a device.',
  2_200,
  {
    id: key<number>(),
    patch_id: ref('patches', integer('The patch.')),
    asset_id: ref('assets', integer('The device.')),
    organization_id: ref('organizations', integer('The customer to whom the device belongs.')),
    status: text('How the installation went.'),
    attempts: integer('How often it was tried.'),
    scheduled_for: timestamp('When it was planned.'),
    installed_at: nullable(timestamp('When the patch was installed. Missing where it was not.')),
  },
  (id, random, context, size) => {
    const asset = assets.row(context, world.spread(id, assets.size(context)));
    const scheduled = world.timeInOrder(id, size, random);
    const installed = world.timestampIfPast(scheduled + world.hours(80 * random.next() ** 3));
    const drawn = random.pick([
      'installed',
      'installed',
      'installed',
      'installed',
      'failed',
      'rolled back',
      'scheduled',
    ]);
    const status = drawn === 'installed' && installed === null ? 'scheduled' : drawn;
    return {
      ...{ id, status },
      patch_id: world.skewed(random, patches.size(context), 1.3),
      asset_id: asset.id,
      organization_id: asset.organization_id,
      attempts: status === 'scheduled' ? 0 : 1 + Math.floor(4 * random.next() ** (status === 'failed' ? 1 : 4)),
      scheduled_for: world.timestampOf(scheduled),
      installed_at: status === 'installed' || status === 'rolled back' ? installed : null,
    };
  },
);
