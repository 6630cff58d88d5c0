/** Declares the cloud accounts of the customers and what is in them: resources, containers, secrets, data and backups. */
import { weigh } from '../random.ts';
import { boolean, date, decimal, integer, key, nullable, ref, text, timestamp, unique } from '../table.ts';
import { assets } from './assets.ts';
import { organizations } from './people.ts';
import * as world from './world.ts';

export const cloudAccounts = world.numberedTable(
  'cloud_accounts',
  'Accounts of the customers with cloud providers.',
  90,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whose account it is.')),
    account_number: unique(text('Number that the provider gave.')),
    provider: text('Cloud provider.'),
    environment: text('What the account is used for.'),
    monthly_cost: nullable(decimal('What the account costs in a month, in US dollars, where the customer shares it.')),
    connected_on: date('Day on which the account was connected to the platform.'),
    disconnected_on: nullable(date('Day on which it was disconnected. Missing while connected.')),
  },
  (id, random, context) => ({
    id,
    organization_id: world.skewed(random, organizations.size(context), 1.6),
    account_number: `ACC-${String(480_000 + id * 37)}`,
    provider: random.pick(['Nimbus', 'Nimbus', 'Stratus', 'Cumulus']),
    environment: random.pick(['production', 'production', 'staging', 'development']),
    monthly_cost: random.chance(0.2) ? null : world.round(300 * 90 ** random.next(), 2),
    connected_on: world.dateOf(world.START + random.integer(-200, 500) * world.DAY_MS),
    disconnected_on: random.chance(0.08) ? world.dateOf(world.START + random.integer(501, 540) * world.DAY_MS) : null,
  }),
);

const RESOURCE_KINDS = weigh([
  ['virtual machine', 34],
  ['storage bucket', 22],
  ['database', 12],
  ['function', 14],
  ['network', 8],
  ['cluster', 10],
]);
export const cloudResources = world.numberedTable(
  'cloud_resources',
  'Machines, buckets, databases and other resources in the cloud accounts.',
  1_000,
  {
    id: key<number>(),
    cloud_account_id: ref('cloud_accounts', integer('The account in which the resource is.')),
    organization_id: ref('organizations', integer('The customer whose resource it is.')),
    name: unique(text('Name of the resource.')),
    kind: text('Kind of resource.'),
    region: text('Region of the provider.'),
    is_public: boolean('Whether the resource can be reached from the internet.'),
    is_encrypted: nullable(boolean('Whether its data are encrypted. Missing where it holds none.')),
    created_at: timestamp('When the resource was created.'),
    deleted_at: nullable(timestamp('When the resource was deleted. The row is kept.')),
  },
  (id, random, context) => {
    const account = cloudAccounts.row(context, world.skewed(random, cloudAccounts.size(context), 1.8));
    const kind = random.weighted(RESOURCE_KINDS);
    const created = world.START - 100 * world.DAY_MS + random.next() * 600 * world.DAY_MS;
    return {
      ...{ id, kind },
      cloud_account_id: account.id,
      organization_id: account.organization_id,
      name: `${kind.split(' ').at(-1)}-${String(id).padStart(5, '0')}`,
      region: random.pick(['eu-1', 'eu-1', 'eu-2', 'us-1', 'us-1', 'ap-1']),
      is_public: random.chance(kind === 'storage bucket' ? 0.12 : 0.2),
      is_encrypted: /function|network/.test(kind) ? null : random.chance(0.8),
      created_at: world.timestampOf(created),
      deleted_at: random.chance(0.12) ? world.timestampIfPast(created + random.integer(2, 400) * world.DAY_MS) : null,
    };
  },
);

const MISTAKES = [
  ['Bucket is public', 5],
  ['Database has no encryption', 4],
  ['Administrative port is open', 5],
  ['Logging is off', 2],
  ['Key is older than a year', 3],
  ['Backup is off', 3],
  ['Tag of the owner is missing', 1],
  ['Second factor is not required', 4],
] as const;
export const cloudMisconfigurations = world.numberedTable(
  'cloud_misconfigurations',
  'Settings of cloud resources that break a rule.',
  900,
  {
    id: key<number>(),
    resource_id: ref('cloud_resources', integer('The resource.')),
    organization_id: ref('organizations', integer('The customer whose resource it is.')),
    title: text('What is wrong.'),
    severity_code: integer('Severity from 1 (informational) to 5 (critical).'),
    status: text('Where the misconfiguration stands.'),
    detected_at: timestamp('When it was found.'),
    resolved_at: nullable(timestamp('When it was put right. Missing while it is not.')),
  },
  (id, random, context, size) => {
    const resource = cloudResources.row(context, world.skewed(random, cloudResources.size(context), 1.7));
    const [title, severity_code] = random.pick(MISTAKES);
    const detected = world.timeInOrder(id, size, random);
    const resolved = random.chance(0.6)
      ? world.timestampIfPast(detected + world.hours(3 * 300 ** random.next()))
      : null;
    return {
      ...{ id, title, severity_code },
      resource_id: resource.id,
      organization_id: resource.organization_id,
      status: resolved !== null ? 'resolved' : random.chance(0.15) ? 'suppressed' : 'open',
      detected_at: world.timestampOf(detected),
      resolved_at: resolved,
    };
  },
);

export const containers = world.numberedTable(
  'containers',
  'Containers seen in the clusters of the customers.',
  520,
  {
    id: key<number>(),
    resource_id: ref('cloud_resources', integer('The cloud resource on which the container runs.')),
    image: text('Image from which the container was started.'),
    image_tag: text('Version of the image.'),
    runs_as_root: boolean('Whether the container runs with all rights.'),
    critical_vulnerabilities: nullable(
      integer('Critical vulnerabilities in the image. Missing for images not scanned.'),
    ),
    started_at: timestamp('When the container was started.'),
    stopped_at: nullable(timestamp('When the container was stopped. Missing while it runs.')),
  },
  (id, random, context, size) => {
    const started = world.timeInOrder(id, size, random);
    const stopped = random.chance(0.7) ? world.timestampIfPast(started + world.hours(500 ** random.next())) : null;
    return {
      id,
      resource_id: world.skewed(random, cloudResources.size(context), 2.2),
      image: random.pick(['web', 'api', 'worker', 'proxy', 'cache', 'queue', 'report', 'billing']),
      image_tag: `${random.integer(1, 4)}.${random.integer(0, 12)}`,
      runs_as_root: random.chance(0.22),
      critical_vulnerabilities: random.chance(0.14) ? null : Math.floor(7 * random.next() ** 3),
      started_at: world.timestampOf(started),
      stopped_at: stopped,
    };
  },
);

export const exposedSecrets = world.numberedTable(
  'exposed_secrets',
  'Passwords, keys and tokens of customers that were found where they must not be. The secrets themselves are not kept.',
  260,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whose secret it is.')),
    kind: text('Kind of secret.'),
    location: text('Where it was found.'),
    severity: text('Severity in words.'),
    is_valid: nullable(boolean('Whether the secret still works. Missing where it could not be tested.')),
    found_at: timestamp('When it was found.'),
    revoked_at: nullable(timestamp('When it was revoked. Missing while it was not.')),
  },
  (id, random, context, size) => {
    const found = world.timeInOrder(id, size, random);
    const revoked = random.chance(0.65) ? world.timestampIfPast(found + world.hours(2 * 200 ** random.next())) : null;
    return {
      id,
      organization_id: world.skewed(random, organizations.size(context), 1.7),
      kind: random.pick(['API key', 'API key', 'password', 'private key', 'access token']),
      location: random.pick(['code repository', 'code repository', 'chat', 'wiki', 'log file', 'public paste']),
      severity: random.weighted(world.severityWords),
      is_valid: revoked !== null ? false : random.chance(0.3) ? null : random.chance(0.5),
      found_at: world.timestampOf(found),
      revoked_at: revoked,
    };
  },
);

const CLASSES = [
  ['public', 1, 'May be read by everybody.', null],
  ['internal', 2, 'For people of the customer only.', 1_095],
  ['confidential', 3, 'For those who need it for their work.', 1_825],
  ['personal', 4, 'Data about persons.', 730],
  ['restricted', 5, 'For named persons only.', 3_650],
] as const;
export const dataClassifications = world.numberedTable(
  'data_classifications',
  'Classes of data by how well they must be protected.',
  () => CLASSES.length,
  {
    id: key<number>(),
    name: unique(text('Name of the class.')),
    level: integer('From 1 (public) to 5 (restricted).'),
    description: text('What belongs to the class.'),
    retention_days: nullable(integer('Days for which such data may be kept. Missing where there is no limit.')),
  },
  (id) => {
    const [name, level, description, retention_days] = CLASSES[id - 1]!;
    return { id, name, level, description, retention_days };
  },
);

export const dataStores = world.numberedTable(
  'data_stores',
  'Databases, shares and buckets that hold data of the customers, with their class.',
  220,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer whose data they are.')),
    classification_id: nullable(ref('data_classifications', integer('Class of the data. Missing until reviewed.'))),
    asset_id: nullable(ref('assets', integer('The device that holds the data. Missing for those in the cloud.'))),
    name: unique(text('Name of the data store.')),
    kind: text('Kind of data store.'),
    size_gb: decimal('Size in gigabytes.'),
    record_count: nullable(integer('Number of records, where they can be counted.')),
    is_encrypted: boolean('Whether the data are encrypted.'),
    last_reviewed_on: nullable(date('Day of the last review. Missing for those never reviewed.')),
  },
  (id, random, context) => {
    const asset = assets.row(context, world.spread(id * 3, assets.size(context)));
    const isReviewed = random.chance(0.78);
    const kind = random.pick(['database', 'database', 'file share', 'bucket', 'data warehouse']);
    return {
      ...{ id, kind },
      organization_id: asset.organization_id,
      classification_id: isReviewed ? random.pick([1, 2, 2, 2, 3, 3, 4, 4, 5]) : null,
      asset_id: kind === 'bucket' || kind === 'data warehouse' ? null : asset.id,
      name: `${kind.split(' ').at(-1)}_${String(id).padStart(4, '0')}`,
      size_gb: world.round(0.5 * 20_000 ** random.next(), 2),
      record_count: kind === 'file share' ? null : Math.round(1_000 * 40_000 ** random.next()),
      is_encrypted: random.chance(0.72),
      last_reviewed_on: isReviewed ? world.dateOf(world.END - random.integer(3, 600) * world.DAY_MS) : null,
    };
  },
);

export const backups = world.numberedTable(
  'backups',
  'Runs of backups of data stores.',
  1_800,
  {
    id: key<number>(),
    data_store_id: ref('data_stores', integer('The data store that was backed up.')),
    kind: text('Whether everything or only changes were saved.'),
    status: text('How the backup ended.'),
    size_gb: nullable(decimal('Size in gigabytes. Missing for failed backups.')),
    duration_minutes: nullable(integer('Minutes that the backup took. Missing for failed backups.')),
    started_at: timestamp('When the backup began.'),
    restore_tested_at: nullable(timestamp('When a restore was tried. Missing for most.')),
  },
  (id, random, context, size) => {
    const store = dataStores.row(context, ((id * 7) % dataStores.size(context)) + 1);
    const started = world.timeInOrder(id, size, random);
    const status = random.pick([...Array(17).fill('completed'), 'failed', 'failed', 'partial']) as string;
    const kind = random.pick(['full', 'incremental', 'incremental', 'incremental']);
    const saved = store.size_gb * (kind === 'full' ? 0.8 : 0.06) * (0.7 + 0.6 * random.next());
    return {
      ...{ id, kind, status },
      data_store_id: store.id,
      size_gb: status === 'failed' ? null : world.round(saved, 2),
      duration_minutes: status === 'failed' ? null : Math.ceil(saved / 8 + 20 * random.next()),
      started_at: world.timestampOf(started),
      restore_tested_at: random.chance(0.06)
        ? world.timestampIfPast(started + random.integer(2, 60) * world.DAY_MS)
        : null,
    };
  },
);
