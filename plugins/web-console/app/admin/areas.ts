/** Lists the areas of the administration in the order of their navigation. */
import type { Me } from '../api/queries.ts';
import { ADMIN } from './texts.ts';

export type Area = keyof typeof ADMIN.areas;

/** Everybody may see their own usage; the administration shows everybody's. */
const ADMIN_ONLY: readonly Area[] = ['usage'];

const isAdministrator = ({ rights }: Me) => rights.some((right) => right.startsWith('admin'));

/** Those that this server has, and that its reader may see. */
export function areasOf(me: Me): readonly Area[] {
  const all = Object.keys(ADMIN.areas) as Area[];
  return all.filter((area) => me.areas.includes(area) && (!ADMIN_ONLY.includes(area) || isAdministrator(me)));
}
