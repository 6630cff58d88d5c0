/** Declares what is known about attackers: groups, feeds and indicators. */
import { boolean, date, decimal, integer, key, nullable, ref, text, timestamp, unique } from '../table.ts';
import { vendors } from './assets.ts';
import * as world from './world.ts';

const ACTORS =
  'Paper Heron,Glass Badger,Quiet Lantern,Copper Moth,Velvet Otter,Hollow Reed,Static Wren,Amber Jackal,Cold Harbor,Blue Thistle,Iron Magpie,Salt Marten,Dusty Comet,Broken Sundial,Winter Stoat,Marble Newt'.split(
    ',',
  );
export const threatActors = world.numberedTable(
  'threat_actors',
  'Groups of attackers, all made up.',
  () => ACTORS.length,
  {
    id: key<number>(),
    name: unique(text('Name that we gave the group.')),
    motivation: text('What the group wants.'),
    sophistication: integer('How skilled the group is, from 1 to 5.'),
    first_seen_on: date('Day on which we first saw the group.'),
    is_active: boolean('Whether the group was seen within a year.'),
  },
  (id, random) => ({
    id,
    name: ACTORS[id - 1]!,
    motivation: random.pick(['money', 'money', 'espionage', 'protest', 'unknown']),
    sophistication: random.integer(1, 5),
    first_seen_on: world.dateOf(world.START - random.integer(100, 2_500) * world.DAY_MS),
    is_active: random.chance(0.7),
  }),
);

export const threatFeeds = world.numberedTable(
  'threat_feeds',
  'Sources of indicators.',
  9,
  {
    id: key<number>(),
    vendor_id: nullable(ref('vendors', integer('The vendor. Missing for free feeds and our own.'))),
    name: unique(text('Name of the feed.')),
    kind: text('Who makes the feed.'),
    yearly_cost: nullable(decimal('Cost in a year in US dollars. Missing for free feeds.')),
    is_active: boolean('Whether the feed is read.'),
  },
  (id, random, context) => {
    const kind = ['commercial', 'community', 'internal'][id % 3]!;
    const isBought = kind === 'commercial';
    return {
      ...{ id, kind },
      vendor_id: isBought ? random.integer(1, vendors.size(context)) : null,
      name: `Feed ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[(id - 1) % 26]}${id > 26 ? id : ''}`,
      yearly_cost: isBought ? random.integer(4, 60) * 1_000 : null,
      is_active: id !== 8,
    };
  },
);

export const indicators = world.numberedTable(
  'indicators',
  'Addresses, domains and files that are known to be malicious.',
  800,
  {
    id: key<number>(),
    feed_id: ref('threat_feeds', integer('The feed that names it.')),
    threat_actor_id: nullable(ref('threat_actors', integer('The group that uses it, where it is known.'))),
    kind: text('Kind of indicator.'),
    value: text('The address, domain or checksum.'),
    confidence: integer('How sure the feed is, from 0 to 100.'),
    severity_code: integer('Severity from 1 (informational) to 5 (critical).'),
    first_seen_at: timestamp('When it was first seen.'),
    expires_on: nullable(date('Day after which it is not used. Missing for those without end.')),
  },
  (id, random, context, size) => {
    const kind = random.pick(['IP address', 'IP address', 'domain', 'domain', 'file hash', 'URL']);
    const seen = world.timeInOrder(id, size, random);
    const host = `${world.hexOf(random, 8)}.example.net`;
    return {
      ...{ id, kind },
      feed_id: world.skewed(random, threatFeeds.size(context), 1.5),
      threat_actor_id: random.chance(0.3) ? world.skewed(random, threatActors.size(context)) : null,
      value:
        kind === 'IP address'
          ? world.publicAddress(random)
          : kind === 'domain'
            ? host
            : kind === 'URL'
              ? `https://${host}/login`
              : world.hexOf(random, 40),
      confidence: random.integer(20, 100),
      severity_code: random.weighted(world.severityCodes),
      first_seen_at: world.timestampOf(seen),
      expires_on: random.chance(0.3) ? null : world.dateOf(seen + random.pick([30, 90, 90, 180]) * world.DAY_MS),
    };
  },
);
