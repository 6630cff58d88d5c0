/** Declares the devices of the customers, the software on them and the sensors that watch them. */
import { weigh } from '../random.ts';
import { boolean, date, integer, key, nullable, real, ref, text, timestamp, unique } from '../table.ts';
import { organizations, siteOf, userOf } from './people.ts';
import * as world from './world.ts';

const KINDS = weigh([
  ['laptop', 40],
  ['workstation', 18],
  ['server', 24],
  ['network device', 8],
  ['mobile', 7],
  ['printer', 3],
]);
const SYSTEMS: Readonly<Record<string, readonly string[]>> = {
  laptop: ['Windows 11', 'Windows 11', 'Windows 10', 'macOS 15'],
  workstation: ['Windows 11', 'Windows 10', 'Ubuntu 24.04'],
  server: ['Ubuntu 22.04', 'Ubuntu 24.04', 'Windows Server 2022', 'Windows Server 2016'],
  mobile: ['Android 15', 'iOS 18'],
};
export const assets = world.numberedTable(
  'assets',
  'Devices of the customers: laptops, servers, network devices and others.',
  1_400,
  {
    id: key<number>(),
    organization_id: ref('organizations', integer('The customer to whom the device belongs.')),
    site_id: nullable(ref('sites', integer('The site at which the device stands. Missing for those that travel.'))),
    owner_user_id: nullable(ref('users', integer('The person who uses the device. Missing for shared ones.'))),
    hostname: unique(text('Name of the device in its network.')),
    ip_address: text('Last known address.'),
    kind: text('Kind of device.'),
    operating_system: nullable(text('Operating system, where it is known.')),
    environment: text('What the device is used for.'),
    criticality: integer('How much the customer depends on the device, from 1 (little) to 5 (very much).'),
    risk_score: nullable(
      integer('Risk of the device from 0 to 100, by findings and alerts. Missing until first scanned.'),
    ),
    is_internet_facing: boolean('Whether the device can be reached from the internet.'),
    first_seen_at: timestamp('When the device was first seen.'),
    last_seen_at: nullable(timestamp('When the device was last seen. Missing where it never reported.')),
    deleted_at: nullable(timestamp('When the device was retired. The row is kept.')),
  },
  (id, random, context, size) => {
    const owner = world.ownerOf(id, size, organizations.size(context));
    const kind = random.weighted(KINDS);
    const isPersonal = /laptop|workstation|mobile/.test(kind);
    const isServer = kind === 'server' || kind === 'network device';
    const seen = world.START - 200 * world.DAY_MS + random.next() * 720 * world.DAY_MS;
    const retired = random.chance(0.09) ? seen + random.next() * (world.END - seen) : undefined;
    const last = (retired ?? world.END) - random.next() ** 6 * 0.9 * ((retired ?? world.END) - seen) - 1_000;
    return {
      ...{ id, kind },
      organization_id: owner,
      site_id: siteOf(owner, random, context),
      owner_user_id: isPersonal && random.chance(0.9) ? userOf(owner, random, context) : null,
      hostname: `${kind.slice(0, 3)}-${String(owner).padStart(3, '0')}-${String(id).padStart(5, '0')}`,
      ip_address: world.publicAddress(random),
      operating_system: random.chance(0.05) ? null : random.pick(SYSTEMS[kind] ?? ['Embedded']),
      environment: isServer ? random.pick(['production', 'production', 'staging', 'test']) : 'office',
      criticality: isServer ? random.pick([3, 4, 4, 5, 5]) : random.pick([1, 1, 2, 2, 2, 3, 4]),
      risk_score: random.chance(0.07) ? null : Math.floor(101 * random.next() ** (isServer ? 1.5 : 2.5)),
      is_internet_facing: isServer && random.chance(0.25),
      first_seen_at: world.timestampOf(seen),
      last_seen_at: random.chance(0.03) ? null : world.timestampOf(last),
      deleted_at: retired === undefined ? null : world.timestampOf(retired),
    };
  },
);
/** Any device; few of them are noisy. */
export const noisyAsset = (random: world.Draw, context: world.Context) =>
  assets.row(context, world.spread(world.skewed(random, assets.size(context), 2.6), assets.size(context)));

export const cmdbAssets = world.numberedTable(
  'cmdb_assets',
  'Devices as imported from the inventories of three customers in 2025. Not updated since; overlaps with `assets`.',
  600,
  {
    ci_number: key(text('Number in the inventory.')),
    device_name: text('Name of the device as it is written there, often the hostname in capitals.'),
    serial_no: nullable(text('Serial number.')),
    owner_mail: nullable(text('E-mail address of the person responsible.')),
    crit: text('Importance: H, M or L.'),
    status_cd: text('A for active, R for retired, X for unknown.'),
    import_batch: integer('Number of the import.'),
    imported_at: timestamp('When the row was imported.'),
  },
  (id, random, context, size) => {
    const asset = assets.row(context, world.skewed(random, assets.size(context), 1.5));
    const batch = 1 + Math.floor((3 * (id - 1)) / size);
    return {
      ci_number: `CI${String(id).padStart(6, '0')}`,
      device_name: random.chance(0.8) ? asset.hostname.toUpperCase() : `UNKNOWN-${id}`,
      serial_no: random.chance(0.2) ? null : `SN${world.hexOf(random, 10).toUpperCase()}`,
      owner_mail: random.chance(0.4) ? null : `desk${random.integer(1, 40)}@example.com`,
      crit: random.pick(['H', 'M', 'M', 'L', 'L']),
      status_cd: random.pick(['A', 'A', 'A', 'R', 'X']),
      import_batch: batch,
      imported_at: `2025-0${batch + 5}-10 02:${String(id % 60).padStart(2, '0')}:00`,
    };
  },
);

const VENDOR_NAMES =
  'Acornware Bytefield Cloudmere Datahaven Edgeworth Fluxline Gridlock Hexaform Inkstone Jettison Kernelworks Latchkey Meshpoint Nodewell Openquarry Patchwork Quartzbit Relaypoint Stackhouse Tidewire Umbrasoft Vaultic Wireloom Xenolith Yieldsoft Zonal'.split(
    ' ',
  );
export const vendors = world.numberedTable(
  'vendors',
  'Companies that sell software and services to us or to our customers.',
  48,
  {
    id: key<number>(),
    name: unique(text('Name of the vendor.')),
    category: text('What the vendor sells.'),
    country: text('Country of the vendor.'),
    risk_tier: text('Class of risk from the last assessment.'),
    risk_score: nullable(integer('Risk from the last assessment, from 0 to 100. Missing for vendors never assessed.')),
    has_data_access: boolean('Whether the vendor can read data of customers.'),
    last_assessed_on: nullable(date('Day of the last assessment.')),
    status: text('Whether we work with the vendor.'),
  },
  (id, random) => {
    const score = random.chance(0.15) ? null : random.integer(4, 96);
    const round = Math.floor((id - 1) / VENDOR_NAMES.length);
    return {
      id,
      name: `${VENDOR_NAMES[(id - 1) % VENDOR_NAMES.length]}${round > 0 ? ` Services${round > 1 ? ` ${round}` : ''}` : ''}`,
      category: random.pick(['software', 'software', 'cloud', 'consulting', 'hardware', 'telecommunication']),
      country: world.placeOf(random).country,
      risk_tier: score === null ? 'unrated' : score >= 70 ? 'high' : score >= 35 ? 'medium' : 'low',
      risk_score: score,
      has_data_access: random.chance(0.35),
      last_assessed_on: score === null ? null : world.dateOf(world.END - random.integer(10, 700) * world.DAY_MS),
      status: random.pick(['active', 'active', 'active', 'active', 'onboarding', 'terminated']),
    };
  },
);

const PRODUCT_KINDS = ['Browser', 'Office', 'Database', 'VPN Client', 'Web Server', 'Mail Client', 'Backup', 'Runtime'];
export const softwareProducts = world.numberedTable(
  'software_products',
  'Software that is found on devices.',
  60,
  {
    id: key<number>(),
    vendor_id: nullable(ref('vendors', integer('The vendor. Missing for free software.'))),
    name: unique(text('Name of the software.')),
    category: text('Kind of software.'),
    latest_version: text('Newest version.'),
    is_approved: boolean('Whether the software may be used.'),
    end_of_life_on: nullable(date('Day on which support by the vendor ends, where it is announced.')),
  },
  (id, random, context) => {
    const vendor = random.chance(0.25) ? undefined : vendors.row(context, world.skewed(random, vendors.size(context)));
    const category = PRODUCT_KINDS[(id - 1) % PRODUCT_KINDS.length]!;
    return {
      id,
      vendor_id: vendor?.id ?? null,
      name: `${vendor?.name.split(' ')[0] ?? 'Open'} ${category} ${id}`,
      category: category.toLowerCase(),
      latest_version: `${random.integer(2, 9)}.${random.integer(0, 9)}`,
      is_approved: random.chance(0.85),
      end_of_life_on: random.chance(0.35) ? world.dateOf(world.END + random.integer(-400, 500) * world.DAY_MS) : null,
    };
  },
);

export const softwareInstalls = world.numberedTable(
  'software_installs',
  'Software inventory: which software in which version is on which device.',
  (context) => 3 * assets.size(context),
  {
    id: key<number>(),
    asset_id: ref('assets', integer('The device.')),
    product_id: ref('software_products', integer('The software.')),
    version: text('Installed version.'),
    installed_on: date('Day of the installation.'),
    last_used_on: nullable(date('Last day of use, where it is measured.')),
    removed_on: nullable(date('Day on which the software was removed. Missing while installed.')),
  },
  (id, random, context) => {
    const products = softwareProducts.size(context);
    const installed = world.START + random.integer(-300, 540) * world.DAY_MS;
    const removed = random.chance(0.1) ? world.dateIfPast(installed + random.integer(5, 400) * world.DAY_MS) : null;
    return {
      id,
      asset_id: Math.ceil(id / 3),
      // The three of a device are in different thirds of the list, so that none is there twice.
      product_id: Math.min(
        products,
        1 + (id % 3) * Math.floor(products / 3) + Math.floor((products / 3) * random.next() ** 2),
      ),
      version: `${random.integer(1, 9)}.${random.integer(0, 9)}`,
      installed_on: world.dateOf(installed),
      last_used_on: random.chance(0.3)
        ? null
        : world.dateOf(world.END - random.next() ** 4 * (world.END - installed) - 1),
      removed_on: removed,
    };
  },
);

export const agents = world.numberedTable(
  'agents',
  'Endpoint sensors: the programs on devices that report what happens there.',
  1_150,
  {
    id: key<number>(),
    asset_id: unique(ref('assets', integer('The device on which the sensor runs.'))),
    organization_id: ref('organizations', integer('The customer to whom the device belongs.')),
    version: text('Version of the sensor.'),
    status: text('Whether the sensor reports.'),
    mode: text('Whether the sensor only reports or also blocks.'),
    installed_at: timestamp('When the sensor was installed.'),
    last_seen_at: nullable(timestamp('Last sign of life. Missing where it never reported.')),
  },
  (id, random, context) => {
    const asset = assets.row(context, world.spread(id, assets.size(context)));
    const first = world.timeOf(asset.first_seen_at);
    const status = random.chance(0.82) ? 'online' : random.pick(['offline', 'offline', 'degraded', 'uninstalled']);
    const silent = status === 'online' ? random.next() * 0.02 : random.next();
    return {
      ...{ id, status },
      asset_id: asset.id,
      organization_id: asset.organization_id,
      version: random.pick(['7.4.2', '7.4.2', '7.4.2', '7.4.1', '7.3.0', '6.9.5']),
      mode: random.chance(0.7) ? 'prevent' : 'detect',
      installed_at: world.timestampOf(first + random.next() * 0.3 * (world.END - first)),
      last_seen_at: random.chance(0.02)
        ? null
        : world.timestampOf(world.END - silent * 0.6 * (world.END - first) - 1_000),
    };
  },
);

export const agentHeartbeats = world.numberedTable(
  'agent_heartbeats',
  'Reports of the sensors about their own state, two for each from the last days.',
  (context) => 2 * agents.size(context),
  {
    id: key<number>(),
    agent_id: ref('agents', integer('The sensor.')),
    sent_at: timestamp('When the sensor sent the report.'),
    received_at: timestamp('When the report arrived, sometimes hours later.'),
    status_code: integer('0 for healthy, 1 for a warning, 2 for an error.'),
    cpu_percent: real('Share of the processor that the sensor uses, in percent.'),
    memory_mb: integer('Memory that the sensor uses, in megabytes.'),
    queue_length: nullable(integer('Messages that wait to be sent. Missing in reports of old sensors.')),
  },
  (id, random) => {
    const sent = world.END - random.next() * 5 * world.DAY_MS - world.hours(8);
    const code = random.pick([0, 0, 0, 0, 0, 0, 1, 1, 2]);
    return {
      id,
      agent_id: Math.ceil(id / 2),
      sent_at: world.timestampOf(sent),
      received_at: world.timestampOf(sent + (random.chance(0.08) ? world.hours(8 * random.next()) : 2_000)),
      status_code: code,
      cpu_percent: world.round(0.2 + (code + 1) * 3 * random.next() ** 2, 1),
      memory_mb: random.integer(60, 140 + 90 * code),
      queue_length: random.chance(0.1) ? null : Math.floor((code + 0.1) * 400 * random.next() ** 3),
    };
  },
);
