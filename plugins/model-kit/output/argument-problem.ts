/** Says what is wrong with the arguments of a call, and what the tool takes instead. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { didYouMean } from '../../../kernel/index.ts';

export interface ArgumentProblem {
  readonly message: string;
  readonly hint: string;
}

/** Names and values that are listed at most. */
const MAX_LISTED = 40;

interface Schema extends TSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

/** `undefined` when the arguments fit the schema. */
export function argumentProblem(schema: TSchema, args: unknown): ArgumentProblem | undefined {
  const allowed = namesOf(schema as Schema);
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { message: 'its arguments are not a JSON object.', hint: `Write them as one JSON object. ${allowed}` };
  }
  const first = Value.Errors(schema, args).First();
  if (first === undefined) return undefined;
  const where = first.path === '' ? 'arguments' : `argument "${first.path.slice(1).replaceAll('/', '.')}"`;
  const values = valuesOf(first.schema as Schema);
  const suggestion = typeof first.value === 'string' ? didYouMean(first.value.slice(0, 128), values) : '';
  const listed = values.length > 0 ? `Allowed: ${listOf(values)}${suggestion || '.'}` : allowed;
  return {
    message: `${where}: ${first.message.charAt(0).toLowerCase()}${first.message.slice(1)}.`,
    hint: `Correct the arguments. ${listed}`.trim(),
  };
}

const listOf = (items: readonly string[]) =>
  items.length > MAX_LISTED ? `${items.slice(0, MAX_LISTED).join(', ')}, …` : items.join(', ');

function namesOf({ properties = {}, required = [] }: Schema): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? `${name} (required)` : name));
  return names.length === 0 ? '' : `Arguments: ${listOf(names)}.`;
}

/** The constants of a union. */
function valuesOf({ anyOf = [] }: Schema): string[] {
  return anyOf.flatMap(({ const: constant }) => (typeof constant === 'string' ? constant : []));
}
