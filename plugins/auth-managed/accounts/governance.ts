/** Refuses changes of users that would leave nobody to administer, or that reach further than the rights of the actor. */
import { AtlasError, type Scope } from '../../../kernel/index.ts';
import { hasRight } from '../../auth-kit/index.ts';
import { DIRECTORY } from '../directory-schema.ts';
import { TABLES } from '../migrations.ts';
import { MANAGED_MODE } from '../mode.ts';
import type { Store } from '../store.ts';
import { isPlatformAdministrator } from './administrators.ts';
import { isBanned } from './identity.ts';
import { covers, GOVERNING_ROLES, type Standing, standingOf } from './standing.ts';
import { bannedNow, usersOf } from './user-directory.ts';

/** Who administers: `orgId` is the active organization, `null` where the administrator belongs to none. */
export type Administrator = Pick<Scope, 'actor' | 'orgId'>;

export function refused(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'forbidden', hint });
}

/** To be asked in the transaction of the change, under the lock `admins`. */
export class Governance {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Refuses to change oneself, users with more rights, and who belongs elsewhere too where the change counts in every
   * organization. Resolves to what the actor may do.
   */
  async mustGovern(by: Administrator, id: string, oneself: string, isEverywhere = true): Promise<Standing> {
    const { actor, orgId } = by;
    if (actor.id === id) throw refused(oneself, 'Ask another administrator.');
    const standing = await this.standingOfActor(by);
    await this.mustCover(standing, by, id);
    await this.mustNotBeOfPlatform(by, id);
    if (!isEverywhere) return standing;
    const foreign = await this.#store.run((db) =>
      db(TABLES.member)
        .where({ userId: id })
        .whereNot({ organizationId: orgId ?? '' })
        .whereNotIn(
          'organizationId',
          db(TABLES.member)
            .where({ userId: actor.id ?? '' })
            .whereIn('role', GOVERNING_ROLES)
            .select('organizationId'),
        )
        .first('id'),
    );
    if (foreign === undefined) return standing;
    throw refused(
      'This user also belongs to an organization that you do not administer.',
      'Remove the user from your organization instead.',
    );
  }

  /** Refuses an administrator of an organization who acts on one of the platform. */
  async mustNotBeOfPlatform({ actor, orgId }: Administrator, id: string): Promise<void> {
    if (orgId === null || !(await this.#isOfPlatform(id)) || (await this.#isOfPlatform(actor.id ?? ''))) return;
    throw refused(
      'This user is an administrator of the platform.',
      'Ask them, or another administrator of the platform.',
    );
  }

  /** As the database says it now: the request may have waited for the one that took the actor's rights away. */
  async standingOfActor({ actor, orgId }: Administrator): Promise<Standing> {
    if (actor.mode !== MANAGED_MODE.name) return actor;
    const standing = await this.#store.run(async (db) => {
      const row = await db(TABLES.user)
        .where({ id: actor.id })
        .first('id', 'role', 'adminByOrganization', 'banned', 'banExpires');
      if (row === undefined || isBanned({ ...row, banned: Boolean(row.banned) })) return undefined;
      return standingOf(db, orgId, row);
    });
    if (standing !== undefined && (hasRight(standing, 'admin:users') || hasRight(standing, 'admin:roles'))) {
      return standing;
    }
    throw refused('You may not change users any more.', 'Ask an administrator.');
  }

  async mustCover(standing: Standing, { orgId }: Administrator, id: string): Promise<void> {
    const held = await this.#store.run(async (db) =>
      standingOf(db, orgId, await db(TABLES.user).where({ id }).first('id', 'role', 'adminByOrganization')),
    );
    if (covers(standing, held)) return;
    throw refused('This user has rights that you do not have.', 'Ask an administrator.');
  }

  async keepAnAdministrator(by: Administrator, id: string): Promise<void> {
    if (await this.hasAdministrator(by.orgId, id)) return;
    const administrator = await this.#store.run((db) =>
      usersOf(db, by.orgId)
        .where(`${DIRECTORY}.userId`, id)
        .where(`${DIRECTORY}.role`, 'admin')
        .first(`${DIRECTORY}.userId`),
    );
    if (administrator === undefined) return;
    throw refused('The last administrator has to stay one.', 'Make another user administrator first.');
  }

  /** Whether somebody other than `except` administers the organization and is not banned. */
  async hasAdministrator(orgId: string | null, except = ''): Promise<boolean> {
    const other = await this.#store.run((db) =>
      usersOf(db, orgId)
        .where(`${DIRECTORY}.role`, 'admin')
        .whereNot(`${TABLES.user}.id`, except)
        .whereNot(bannedNow(this.#store))
        .first(`${TABLES.user}.id`),
    );
    return other !== undefined;
  }

  #isOfPlatform(id: string): Promise<boolean> {
    return this.#store.run((db) => isPlatformAdministrator(db, id));
  }
}
