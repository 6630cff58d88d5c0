/** Keeps the custom roles of organizations beside the built-in ones, and finds roles by id or name. */
import type { Knex } from 'knex';
import { AtlasError, type Right, type Role, type Scope } from '../../../kernel/index.ts';
import type { Audit } from '../../audit/index.ts';
import { grantableRights, isRole, rightsOf, roles } from '../../auth-kit/index.ts';
import { ORGANIZATION_ROLES } from '../better-auth/organization-endpoints.ts';
import { LOCKS, TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { type Governance, refused } from './governance.ts';
import { covers, roleOf, type Standing } from './standing.ts';
import type { UserDirectory } from './user-directory.ts';

/** A role that can be given; one that is built in has no `rights` of its own. */
export interface FoundRole extends Standing {
  readonly id: string;
  readonly name: string;
}

export interface ManagedRole {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly rights: readonly Right[];
  readonly builtIn: boolean;
  /** How many users have it. */
  readonly members: number;
  /** ISO 8601, like the next one; `null`: built in. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export interface RoleInput {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly rights: readonly Right[];
}

interface RoleRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly rights: string;
  readonly baseRole: string;
  readonly createdAt: Date | string;
  readonly updatedAt: Date | string;
}

/** Limit for one organization. */
const MOST_ROLES = 100;

const DESCRIPTIONS: Readonly<Record<Role, string>> = {
  viewer: 'Asks questions.',
  analyst: 'Asks questions and approves actions.',
  admin: 'Administers everything.',
};

const BUILT_IN = (Object.keys(roles) as Role[]).sort((a, b) => roles[b] - roles[a]);

function noSuchRole(): AtlasError {
  return new AtlasError('There is no such role in this organization.', {
    code: 'not_found',
    hint: 'GET /api/v1/admin/roles lists the roles.',
  });
}

const conflict = (message: string, hint: string) => new AtlasError(message, { code: 'conflict', hint });
/** Names that look the same are the same. */
const nameKeyOf = (name: string) =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase();

/** The role with that id, or else that name, in any case. Throws `not_found`. */
export async function findRole(db: Knex, orgId: string | null, wanted: string): Promise<FoundRole> {
  if (isRole(wanted)) return { id: wanted, name: wanted, role: wanted };
  const row = orgId === null ? undefined : await rowOf(db, orgId, wanted);
  if (row === undefined) throw noSuchRole();
  return { id: row.id, name: row.name, role: roleOf(row.baseRole), rights: JSON.parse(row.rights) };
}

async function rowOf(db: Knex, organizationId: string, wanted: string): Promise<RoleRow | undefined> {
  const role = () => db(TABLES.role).where({ organizationId });
  return (
    (await role().where({ id: wanted }).first()) ??
    role()
      .where({ nameKey: nameKeyOf(wanted) })
      .first()
  );
}

/** What an actor with these rights is, for rules that know the built-in roles only; never an administrator. */
const baseRoleOf = (rights: readonly Right[]): Role => (rights.includes('approve') ? 'analyst' : 'viewer');

/** Readable where the name allows it: `Support team` is `support-team`. */
function idOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return words.replaceAll(/^-+|-+$/g, '').slice(0, 64) || `role-${crypto.randomUUID().slice(0, 8)}`;
}

const isReserved = (name: string) => (ORGANIZATION_ROLES as readonly string[]).includes(name);

export interface RolesInit {
  readonly store: Store;
  readonly directory: UserDirectory;
  readonly governance: Governance;
  readonly audit: Audit | undefined;
}

export class Roles {
  readonly #init: RolesInit;
  readonly #store: Store;

  constructor(init: RolesInit) {
    this.#init = init;
    this.#store = init.store;
  }

  /** The built-in ones first, then those of the organization by name. */
  async list(
    { orgId }: Pick<Scope, 'orgId'>,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ roles: ManagedRole[]; total: number }> {
    const members = await this.#members(orgId);
    const builtIn = BUILT_IN.map((role) => builtInRole(role, members)).slice(offset, offset + limit);
    const custom = await this.#store.run(async (db) => {
      const of = () => db(TABLES.role).where({ organizationId: orgId ?? '' });
      const counted = await of().count({ count: '*' }).first();
      const rows: RoleRow[] = await of()
        .orderBy('nameKey')
        .orderBy('id')
        .limit(limit - builtIn.length)
        .offset(Math.max(0, offset - BUILT_IN.length));
      return { rows, count: Number(counted?.count ?? 0) };
    });
    const listed = [...builtIn, ...custom.rows.map((row) => customRole(row, members))];
    return { roles: listed, total: BUILT_IN.length + custom.count };
  }

  /** By id or name. Throws `not_found`. */
  async find({ orgId }: Pick<Scope, 'orgId'>, wanted: string): Promise<ManagedRole> {
    const members = await this.#members(orgId);
    if (isRole(wanted)) return builtInRole(wanted, members);
    const row = await this.#store.run(async (db) => (orgId === null ? undefined : rowOf(db, orgId, wanted)));
    if (row === undefined) throw noSuchRole();
    return customRole(row, members);
  }

  /**
   * Throws `conflict` without an active organization, for a name that is taken and for too many roles, `forbidden` for
   * rights that the actor does not have.
   */
  async create(by: Scope, input: RoleInput): Promise<ManagedRole> {
    const orgId = organizationOf(by);
    return this.#change(by, async (db, standing) => {
      const given = checked(standing, input);
      const all = () => db(TABLES.role).where({ organizationId: orgId });
      const counted = await all().count({ count: '*' }).first();
      if (Number(counted?.count ?? 0) >= MOST_ROLES) {
        throw conflict(`The organization has ${MOST_ROLES} roles already.`, 'Delete one that has no members.');
      }
      const base = idOf(given.name);
      const taken = new Set<string>([...ORGANIZATION_ROLES, ...(await all().pluck('id'))]);
      let id = base;
      for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
      await this.#mustBeFree(db, orgId, given.nameKey);
      const now = this.#store.date();
      await db(TABLES.role).insert({ organizationId: orgId, id, ...given, createdAt: now, updatedAt: now });
      const role = await this.find(by, id);
      return { role, action: 'role.created', before: null, after: shown(role) };
    });
  }

  /**
   * What is left out stays. Its members have the new rights at once. Throws as `create` does, `not_found`, and
   * `conflict` for a built-in role.
   */
  async update(by: Scope, id: string, changes: Partial<RoleInput>): Promise<ManagedRole> {
    return this.#change(by, async (db, standing) => {
      const { orgId, before } = await this.#changeable(by, standing, id);
      const given = checked(standing, { ...before, ...changes });
      await this.#mustBeFree(db, orgId, given.nameKey, before.id);
      await db(TABLES.role)
        .where({ organizationId: orgId, id: before.id })
        .update({ ...given, updatedAt: this.#store.date() });
      const role = await this.find(by, before.id);
      return { role, action: 'role.updated', before: shown(before), after: shown(role) };
    });
  }

  /** Throws `conflict` while it has members or is in a pending invitation, and for a built-in role; `not_found`. */
  async remove(by: Scope, id: string): Promise<void> {
    await this.#change(by, async (db, standing) => {
      const { orgId, before } = await this.#changeable(by, standing, id);
      const held = { organizationId: orgId, role: before.id };
      const member = await db(TABLES.member).where(held).first('id');
      const invited = await db(TABLES.invitation)
        .where({ ...held, status: 'pending' })
        .where('expiresAt', '>', this.#store.date())
        .first('id');
      if (member !== undefined || invited !== undefined) {
        throw conflict(
          `The role has ${member === undefined ? 'pending invitations' : 'members'}.`,
          member === undefined ? 'Revoke the invitations first.' : 'Give its members another role first.',
        );
      }
      await db(TABLES.role).where({ organizationId: orgId, id: before.id }).delete();
      return { role: before, action: 'role.deleted', before: shown(before), after: null };
    });
  }

  async #changeable(by: Scope, standing: Standing, id: string): Promise<{ orgId: string; before: ManagedRole }> {
    const before = await this.find(by, id);
    if (before.builtIn) throw conflict('Built-in roles cannot be changed.', 'Create a role of your own.');
    const orgId = organizationOf(by);
    mustHave(standing, before.rights, 'This role grants rights that you do not have.');
    return { orgId, before };
  }

  async #mustBeFree(db: Knex, organizationId: string, nameKey: string, except = ''): Promise<void> {
    // Roles are found by id first: a name that is another one's id would stand for that one.
    const taken = await db(TABLES.role)
      .where({ organizationId })
      .where((either) => either.where({ nameKey }).orWhere({ id: nameKey }))
      .whereNot({ id: except })
      .first('id');
    if (taken === undefined && !isReserved(nameKey)) return;
    throw conflict('There is a role with this name, or with this id.', 'Choose another name.');
  }

  /** Under the lock under which roles are given, so that a role that is being given is not deleted. */
  async #change(
    by: Scope,
    work: (
      db: Knex,
      standing: Standing,
    ) => Promise<{ role: ManagedRole; action: string; before: object | null; after: object | null }>,
  ): Promise<ManagedRole> {
    return this.#store.transaction(async () => {
      await this.#store.lock(LOCKS.admins);
      // What the actor may do by now: the request may have waited for the one that took rights away.
      const standing = await this.#init.governance.standingOfActor(by);
      const { role, action, before, after } = await this.#store.run((db) => work(db, standing));
      const target = { type: 'role', id: role.id, label: role.name };
      await this.#store.audited(this.#init.audit, { action, target, before, after }, by);
      return role;
    });
  }

  async #members(orgId: string | null): Promise<ReadonlyMap<string, number>> {
    const members = new Map<string, number>();
    // By nearest built-in role, too, which may just have changed.
    for (const { role, count } of await this.#init.directory.counts(orgId)) {
      members.set(role, (members.get(role) ?? 0) + count);
    }
    return members;
  }
}

function organizationOf({ orgId }: Scope): string {
  if (orgId !== null) return orgId;
  throw conflict('Custom roles belong to an organization, and none is active.', 'Create or choose one first.');
}

const shown = ({ name, description, rights }: ManagedRole) => ({ name, description, rights });

function builtInRole(role: Role, members: ReadonlyMap<string, number>): ManagedRole {
  const rights = rightsOf({ role });
  const count = members.get(role) ?? 0;
  const description = DESCRIPTIONS[role];
  return { id: role, name: role, description, rights, builtIn: true, members: count, createdAt: null, updatedAt: null };
}

function customRole(row: RoleRow, members: ReadonlyMap<string, number>): ManagedRole {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    rights: JSON.parse(row.rights),
    builtIn: false,
    members: members.get(row.id) ?? 0,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

/** Throws `forbidden` for rights that the actor does not have. */
function mustHave(standing: Standing, rights: readonly Right[], message: string): void {
  if (!covers(standing, { role: 'viewer', rights })) throw refused(message, 'Ask an administrator.');
}

/** The columns of a role. */
function checked(standing: Standing, { name, description, rights }: RoleInput) {
  mustHave(standing, rights, 'You can grant only rights that you have yourself.');
  const known = grantableRights.filter((right) => rights.includes(right));
  const trimmed = name.trim();
  return {
    name: trimmed,
    nameKey: nameKeyOf(trimmed),
    description: description ?? null,
    rights: JSON.stringify(known),
    baseRole: baseRoleOf(known),
  };
}
