/** Provides the tool `findValues`, which searches the values of a column in the database. */
import { type Static, Type } from '@sinclair/typebox';
import type { AgentTool, ToolRun } from '../../../kernel/index.ts';
import { folded } from '../../language-kit/index.ts';
import { truncate } from '../../text-kit/index.ts';
import { byLikeness } from '../lookup/names.ts';
import type { QueryPlan } from '../plan.ts';

const MAX_VALUES = 20;
/** Values that are compared when none contains the text. */
const MAX_COMPARED = 500;
const MAX_VALUE_CHARS = 100;

const FindValuesInput = Type.Object(
  {
    column: Type.String({ minLength: 1, maxLength: 300, description: '`entity.dimension`' }),
    text: Type.Optional(
      Type.String({ maxLength: 300, description: 'what the values contain, in any case; without it the first values' }),
    ),
  },
  { additionalProperties: false },
);

const DESCRIPTION =
  'Finds the distinct values of a column that contain a text, or else those most like it. Use it before filtering on a ' +
  'value whose spelling the semantic layer does not list.';

/** `rowsOf` runs a plan through all checks of a query. */
export function findValuesTool(
  rowsOf: (plan: QueryPlan, run: ToolRun) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): AgentTool {
  const valuesOf = async (plan: QueryPlan, run: ToolRun) =>
    (await rowsOf(plan, run)).flatMap((row) => Object.values(row).slice(0, 1)).filter((value) => value !== null);
  return {
    name: 'findValues',
    description: DESCRIPTION,
    input: FindValuesInput,
    async run(input, run) {
      const { column, text = '' } = input as Static<typeof FindValuesInput>;
      const plan: QueryPlan = { dimensions: [{ dimension: column }] };
      const filters: QueryPlan['filters'] =
        text.trim() === '' ? [] : [{ dimension: column, operator: 'contains', values: [text.trim()] }];
      const found = await valuesOf({ ...plan, filters, limit: MAX_VALUES + 1 }, run);
      if (found.length > 0 || filters.length === 0) {
        return { forModel: { values: found.slice(0, MAX_VALUES).map(shown), more: found.length > MAX_VALUES } };
      }
      const others = (await valuesOf({ ...plan, limit: MAX_COMPARED }, run)).map((value) => String(value));
      // Databases compare accents and the width of letters in ways of their own.
      const same = others.filter((value) => folded(value).includes(folded(text.trim())));
      if (same.length > 0)
        return { forModel: { values: same.slice(0, MAX_VALUES).map(shown), more: same.length > MAX_VALUES } };
      const values = byLikeness(text, others).slice(0, MAX_VALUES).map(shown);
      return { forModel: { values: [], mostAlike: values, note: `No value contains ${JSON.stringify(shown(text))}.` } };
    },
  };
}

function shown(value: unknown): unknown {
  if (typeof value !== 'string') return typeof value === 'bigint' ? String(value) : value;
  return truncate(value, MAX_VALUE_CHARS);
}
