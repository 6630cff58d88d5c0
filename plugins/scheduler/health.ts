/** Reports whether due tasks are looked for. */
import type { HealthItem } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';

export function healthOf(
  { configured }: InternalDb,
  { problem }: { readonly problem: string | undefined },
): HealthItem {
  const component = 'scheduler';
  if (!configured) return { component, status: 'not_configured', message: 'It needs the internal database.' };
  return problem === undefined ? { component, status: 'ok' } : { component, status: 'error', message: problem };
}
