/** Names keys otherwise that the AI SDK refuses: its parser throws for the whole line, against polluted prototypes. */

/** Looks the same to people. */
const RENAMED = '__proto__ ';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function isRefused(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (Array.isArray(value)) return value.some(isRefused);
  if (Object.hasOwn(value, '__proto__')) return true;
  if (isObject(value.constructor) && Object.hasOwn(value.constructor, 'prototype')) return true;
  for (const key in value) if (isRefused(value[key])) return true;
  return false;
}

function renamed(value: unknown, key = ''): unknown {
  if (Array.isArray(value))
    return value.map((item) => (item === '__proto__' && key === 'columns' ? RENAMED : renamed(item)));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isConstructor = name === 'constructor' && isObject(item) && Object.hasOwn(item, 'prototype');
      return [name === '__proto__' ? RENAMED : isConstructor ? `${name} ` : name, renamed(item, name)];
    }),
  );
}

/** A result as it can be sent to the AI SDK: itself, unless it has such a key. */
export const forSdk = (result: unknown): unknown => (isRefused(result) ? renamed(result) : result);
