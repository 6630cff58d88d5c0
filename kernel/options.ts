/** Checks a plugin's options against its schema and fills in the defaults; every fault is reported by its path. */
import type { TSchema } from '@sinclair/typebox';
import { Value, ValueErrorType } from '@sinclair/typebox/value';
import type { BootProblem } from './errors.ts';
import { didYouMean } from './nearest.ts';

/** A copy of plain data without its `undefined` values; functions and instances are kept as they are. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const given = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(given.map(([key, item]) => [key, copy(item)]));
}

export function checkOptions(plugin: string, schema: TSchema | undefined, given: unknown, problems: BootProblem[]) {
  if (schema === undefined) {
    const names = Object.keys(given ?? {});
    if (names.length > 0) problems.push({ plugin, message: `takes no options, but was given: ${names.join(', ')}.` });
    return {};
  }
  const options = Value.Default(schema, copy(given ?? {}));
  const seen = new Set<string>();
  for (const { type, path, message, schema: rule } of Value.Errors(schema, options)) {
    if (seen.has(path)) continue;
    seen.add(path);
    const where = path === '' ? 'options' : `option "${path.slice(1).replaceAll('/', '.')}"`;
    const rest = typeof rule.description === 'string' ? ` (${rule.description})` : '';
    const isUnknown = type === ValueErrorType.ObjectAdditionalProperties;
    const near = isUnknown ? didYouMean(path.slice(path.lastIndexOf('/') + 1), Object.keys(rule.properties)) : '';
    const fault = `${message.charAt(0).toLowerCase()}${message.slice(1)}${rest}${near}`;
    problems.push({ plugin, message: `${where}: ${fault}${near === '' ? '.' : ''}` });
  }
  return options;
}
