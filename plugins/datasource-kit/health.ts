/** Reports the health of one connection, with the time that asking took. */
import { AtlasError, type ConnectionInfo, type HealthItem } from '../../kernel/index.ts';
import { adviceOf } from './errors.ts';

export const HEALTH_TIMEOUT_MS = 2_000;

/** Runs `ask` and tells its outcome: `degraded` when the connection is only busy. `note` is shown when it answers. */
export async function healthOf(
  { id, dbType }: ConnectionInfo,
  ask: () => Promise<unknown>,
  note?: string,
): Promise<HealthItem> {
  const startedAt = performance.now();
  const item = (status: HealthItem['status'], message?: string): HealthItem => ({
    component: 'datasource',
    id,
    status,
    latencyMs: Math.round((performance.now() - startedAt) * 10) / 10,
    details: { dbType },
    ...(message === undefined ? {} : { message }),
  });
  try {
    await ask();
    return item('ok', note);
  } catch (error) {
    const isBusy = error instanceof AtlasError && error.code === 'overloaded';
    return item(isBusy ? 'degraded' : 'error', adviceOf(error));
  }
}
