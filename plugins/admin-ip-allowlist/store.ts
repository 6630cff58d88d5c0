/** Stores the allowed networks of organizations. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError, type Scope } from '../../kernel/index.ts';
import { invalidField, type RowOf, readPage, type SortedPage, shownBy } from '../admin-kit/index.ts';
import type { Audit } from '../audit/index.ts';
import { type InternalDb, lockName } from '../internal-db/index.ts';
import { type Network, readNetwork } from './cidr.ts';
import { ENTRIES } from './migrations.ts';
import { ENTRY_ORDERS, Entry, type IpAllowlistEntry, type NewEntry } from './schemas.ts';

interface EntryRow extends RowOf<IpAllowlistEntry> {
  /** Empty: of none. */
  readonly org_id: string;
}

/** Limit for one organization. Each entry is looked at for each request. */
const MOST_ENTRIES = 500;

const keyOf = (orgId: string | null) => orgId ?? '';

const shown = shownBy(Entry);
const entryOf = (row: EntryRow): IpAllowlistEntry => ({ ...shown(row), orgId: row.org_id || null });

function shutsOut(ip: string, what: string): AtlasError {
  return new AtlasError(`${what} would shut you out: your address ${ip} is in none of the networks.`, {
    code: 'conflict',
    reason: 'E_IP_ALLOWLIST_LOCKOUT',
    hint: 'Add a network that holds your address first, or repeat the request with force: true.',
  });
}

const networksOf = (rows: readonly Pick<EntryRow, 'cidr'>[]): Network[] =>
  rows.flatMap(({ cidr }) => readNetwork(cidr) ?? []);

export class AllowlistStore {
  readonly #db: InternalDb;
  readonly #audit: Pick<Audit, 'change'> | undefined;
  readonly #now: () => number;

  constructor(db: InternalDb, audit: Pick<Audit, 'change'> | undefined, now: () => number) {
    this.#db = db;
    this.#audit = audit;
    this.#now = now;
  }

  /** By default the oldest first. */
  async list(
    orgId: string | null,
    wanted: SortedPage<typeof ENTRY_ORDERS>,
  ): Promise<{ entries: IpAllowlistEntry[]; total: number }> {
    return this.#db.run(async (db) => {
      const matching = () => db(ENTRIES).where({ org_id: keyOf(orgId) });
      const { rows, total } = await readPage<EntryRow>({ matching, order: ENTRY_ORDERS.order(wanted.sort) }, wanted);
      return { entries: rows.map(entryOf), total };
    });
  }

  async networks(orgId: string | null): Promise<Network[]> {
    return networksOf(
      await this.#db.run((db) =>
        db<EntryRow>(ENTRIES)
          .where({ org_id: keyOf(orgId) })
          .select('cidr'),
      ),
    );
  }

  /**
   * Throws `validation_error` for what is no network, and `conflict` for one that is on the list, for one too many, and
   * where the list would shut out `ip` without `force`.
   */
  async add(
    { cidr, description = null, force = false }: NewEntry,
    ip: string,
    scope: Scope,
  ): Promise<IpAllowlistEntry> {
    const network = readNetwork(cidr.trim());
    if (network === undefined) {
      throw invalidField(
        'cidr',
        'must be an IPv4 or IPv6 address or network in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32',
      );
    }
    const row: EntryRow = {
      id: randomUUID(),
      org_id: keyOf(scope.orgId),
      cidr: network.cidr,
      description,
      created_at: new Date(this.#now()).toISOString(),
      created_by: scope.actor.id,
    };
    await this.#change(row.org_id, async (trx, rows) => {
      if (rows.some((known) => known.cidr === row.cidr)) {
        throw new AtlasError(`${row.cidr} is on the list already.`, { code: 'conflict' });
      }
      if (rows.length >= MOST_ENTRIES) {
        const hint = 'Delete entries, or join several into a larger network.';
        throw new AtlasError(`The list is full: it takes ${MOST_ENTRIES} entries.`, { code: 'conflict', hint });
      }
      const isCovered = [network, ...networksOf(rows)].some((one) => one.holds(ip));
      if (!force && !isCovered) throw shutsOut(ip, 'This entry');
      await trx(ENTRIES).insert(row);
      const target = { type: 'ip_allowlist_entry', id: row.id, label: row.cidr };
      const after = { cidr: row.cidr, description };
      await this.#audit?.change({ action: 'ip_allowlist.entry_added', target, before: null, after }, scope, trx);
    });
    return entryOf(row);
  }

  /** Throws `not_found`, and `conflict` where the entries that remain would shut out `ip` without `force`. */
  async remove(id: string, force: boolean, ip: string, scope: Scope): Promise<void> {
    await this.#change(keyOf(scope.orgId), async (trx, rows) => {
      const row = rows.find((known) => known.id === id);
      if (row === undefined) throw new AtlasError('There is no such entry.', { code: 'not_found' });
      const rest = rows.filter((known) => known !== row);
      const isCovered = rest.length === 0 || networksOf(rest).some((one) => one.holds(ip));
      if (!force && !isCovered) throw shutsOut(ip, 'The list without this entry');
      await trx(ENTRIES).where({ id }).delete();
      const target = { type: 'ip_allowlist_entry', id, label: row.cidr };
      const before = { cidr: row.cidr, description: row.description };
      await this.#audit?.change({ action: 'ip_allowlist.entry_deleted', target, before, after: null }, scope, trx);
    });
  }

  /** One change of an organization's list at a time, on every server: each looks at the whole list. */
  async #change(orgKey: string, work: (trx: Knex.Transaction, rows: EntryRow[]) => Promise<void>): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await lockName(trx, `${ENTRIES} ${orgKey}`);
      await work(trx, await trx<EntryRow>(ENTRIES).where({ org_id: orgKey }));
    });
  }
}
