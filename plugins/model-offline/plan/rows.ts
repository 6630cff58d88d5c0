/** Plans lists: rows with their name and the columns that were asked for, or the values of attributes. */
import type { Mention } from '../parse/request.ts';
import type { EntityEntry } from '../words/lexicon.ts';
import { applyConditions } from './conditions.ts';
import { applyPeriods, primaryDate } from './dates.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { rankRows } from './ranking.ts';
import { labelOf } from './traits.ts';

/** Applies the conditions; everything that the question names must be related to the rows. */
export function restrict(planner: of.Planner): void {
  const { request, base } = planner;
  applyConditions(planner, request.conditions);
  for (const mention of [request.subject, ...request.beside]) {
    const isReached = (from: EntityEntry): boolean =>
      of.entitiesOf(mention).some((one) => of.distance(planner, from, one) !== undefined);
    if (mention && ![base, ...planner.several].some(isReached))
      throw refusal([mention.text], `I cannot relate "${mention.text}" to ${base.many}.`);
  }
}

/** Shows the rows by their name, with the columns that were asked for. */
function showColumns(planner: of.Planner, shown: readonly Mention[]): void {
  const { plan, base } = planner;
  const found = shown.flatMap((mention): readonly of.Owned[] => {
    // "their names" are those of the rows, whatever the column is called.
    if (/^names?$/i.test(mention.text)) return [];
    if (/^dates?$/i.test(mention.text)) return [primaryDate(planner)];
    const isOwn = mention.meanings.some((one) => one.kind === 'dimension' && one.entity === base && one.rank >= 2);
    if (isOwn || !mention.meanings.some(({ kind, rank }) => kind === 'entity' && rank >= 2)) {
      const item = of.dimensionOf(planner, mention);
      // "with their home club": by its name, although the column is its number.
      const role = of.roleOf(planner, item, mention.text);
      return role ? ownedBy(role) : [item];
    }
    const entity = of.oneEntity(planner, mention.text, of.entitiesOf(mention));
    of.checkWay(planner, { entity }, mention.text);
    return ownedBy(entity);
  });
  const names = [...ownedBy(base), ...found].map(of.full);
  plan.dimensions = [...new Set(names)].map((dimension) => ({ dimension }));
}

const ownedBy = (entity: EntityEntry): of.Owned[] => labelOf(entity).map((dimension) => ({ entity, dimension }));

/** Listed rows, or the values of attributes. */
export function planRows(planner: of.Planner): void {
  const { request, plan, base } = planner;
  const { subject, columns, ranking, shown = [] } = request;
  restrict(planner);
  applyPeriods(planner);
  const isName = columns[0]?.text === 'names' || columns[0]?.text === 'name';
  const values = isName ? [] : columns.map((mention) => of.dimensionOf(planner, mention));
  const [column, second] = values;
  const { name, type, sample_values: samples = [], unique_count: count = 0 } = column?.dimension ?? {};
  // Few values that many rows share.
  const isCategory = type === 'string' && samples.length > 1 && count <= 50;
  if (subject && isCategory && !second && !request.which && !request.distinct && !request.shown)
    throw refusal([], `Ask "which ${name}" for its values, or for ${name} and a second attribute of ${base.many}.`);
  const isDistinct = request.distinct || (!second && !isName && (!subject || isCategory));
  if (isDistinct && shown.length > 0) throw refusal(shown.map(({ text }) => text));
  if (isDistinct) plan.dimensions = values.map((one) => ({ dimension: of.full(one) }));
  else plan.entity = base.name;
  if (!isDistinct && columns.length + shown.length > 0) showColumns(planner, [...columns, ...shown]);
  if (!ranking) return;
  if (!subject) throw refusal([], 'I cannot tell by what to rank; name it with "by".');
  rankRows(planner);
}
