/** Reads when the jobs that wait are due. */
import type { App } from '../../kernel/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';

/** In milliseconds since the epoch. */
export async function dueTimes(app: App): Promise<number[]> {
  const db = app.get(internalDb);
  if (db.dialect === 'sqlite') return db.run((knex) => knex('jobs').whereNull('lease').pluck('due_at'));
  const times = await db.run<Date[]>((knex) => knex('atlas_jobs.job').where('state', 'created').pluck('start_after'));
  return times.map((time) => new Date(time).getTime());
}
