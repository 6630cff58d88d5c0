/** Orders the roles, from the least to the most powerful. */
import type { Role } from '../../kernel/index.ts';

export type { Role } from '../../kernel/index.ts';

/** Every role with its level. */
export const roles: Readonly<Record<Role, number>> = Object.freeze({ viewer: 0, analyst: 1, admin: 2 });

export function isRole(value: unknown): value is Role {
  return typeof value === 'string' && Object.hasOwn(roles, value);
}

/** Whether `role` may do what `least` may. An unknown role may do nothing. */
export function roleAtLeast(role: Role, least: Role): boolean {
  return isRole(role) && isRole(least) && roles[role] >= roles[least];
}
