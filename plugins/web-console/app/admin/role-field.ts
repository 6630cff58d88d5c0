/** The field of a form that chooses a role: a built-in one, or one of the organization where it has some. */
import type { ManagedRole } from '../../../admin-roles/index.ts';
import type { FormField, Option } from './resource.ts';
import { ADMIN } from './texts.ts';

export const BUILT_IN_ROLES: readonly Option[] = ['viewer', 'analyst', 'admin'].map((role) => ({
  value: role,
  label: role,
}));

interface RoleList {
  readonly roles: readonly ManagedRole[];
}

/** `hasRoles`: the reader may see those of the organization. `value`: the id of a role. */
export const roleField = (hasRoles: boolean, value: string): FormField => ({
  name: 'role',
  label: ADMIN.users.role,
  value,
  options: hasRoles
    ? {
        path: '/api/v1/admin/roles?limit=200',
        options: (data) => (data as RoleList).roles.map(({ id, name }) => ({ value: id, label: name })),
      }
    : BUILT_IN_ROLES,
});
