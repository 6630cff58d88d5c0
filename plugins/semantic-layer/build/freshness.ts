/** Checks how new the rows of an entity are declared to be, and reads the time that is meant. */
import { didYouMean } from '../../../kernel/index.ts';
import type { EntityItem } from '../files/layer-file.ts';
import { isTime, type ModelDimension, type ModelFreshness } from '../model.ts';
import type { ReportMember } from './members.ts';

/** Without a column that can be used, nothing is known of how new the rows are. */
export function checkFreshness(
  { freshness }: EntityItem,
  dimensions: readonly ModelDimension[],
  report: ReportMember,
): ModelFreshness | undefined {
  if (freshness === undefined) return undefined;
  const { column, within } = freshness;
  const found = dimensions.find(({ name }) => name.toLowerCase() === column.toLowerCase());
  const problem = problemOf(found, column, dimensions);
  if (problem === undefined) return { column, within, withinMs: durationMs(within) };
  report(['freshness', 'column'], problem);
  return undefined;
}

function problemOf(
  found: ModelDimension | undefined,
  column: string,
  dimensions: readonly ModelDimension[],
): string | undefined {
  if (found === undefined) {
    const known = dimensions.map(({ name }) => name);
    return `There is no dimension \`${column}\` to tell how new the rows are${didYouMean(column, known) || '.'}`;
  }
  if (!isTime(found))
    return `The dimension \`${column}\` is no date or timestamp, so it cannot tell how new the rows are.`;
  if (found.hidden === true || found.mask !== undefined)
    return `The dimension \`${column}\` is hidden or masked; name one that everybody may see.`;
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const durationMs = (text: string): number => Number(text.slice(0, -1)) * (UNITS_MS[text.slice(-1)] ?? Number.NaN);
