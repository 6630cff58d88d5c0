/** Logs every version of a layer as it is loaded, with what is wrong in it. */
import type { Logger } from '../../kernel/index.ts';
import type { SemanticModel } from './model.ts';

const MAX_LOGGED_PROBLEMS = 20;

export function logVersion(log: Logger, { version, entities, problems, notice }: SemanticModel, dir: string): void {
  log.info({ dir, version, entities: entities.length, problems: problems.length }, 'Semantic layer loaded.');
  if (notice !== undefined) log.warn({}, notice);
  const parts = problems.filter(({ message }) => message !== notice);
  for (const { message, ...place } of parts.slice(0, MAX_LOGGED_PROBLEMS)) log.warn(place, message);
}
