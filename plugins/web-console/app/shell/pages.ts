/** Lists the pages that this server has for its reader. */
import type { Me } from '../api/queries.ts';
import { TEXTS } from '../texts.ts';

export interface PageLink {
  readonly href: string;
  readonly label: string;
}

export const chatHref = (id: string): string => `/c/${encodeURIComponent(id)}`;

/** In the order of the navigation; only the first until the server has said who asks. */
export function pagesOf(me: Me | undefined): readonly PageLink[] {
  const { ask, history, schedules, approvals, administration } = TEXTS.navigation;
  const has = (area: string) => me?.areas.includes(area) === true;
  const isAdministrator = me?.rights.some((right) => right.startsWith('admin')) === true;
  return [
    { href: '/', label: ask },
    ...(has('history') ? [{ href: '/history', label: history }] : []),
    ...(has('schedules') ? [{ href: '/schedules', label: schedules }] : []),
    ...(has('approvals') ? [{ href: '/approvals', label: approvals }] : []),
    ...(isAdministrator ? [{ href: '/admin', label: administration }] : []),
  ];
}
