/** One environment variable: its name, the shape of its value, and what it does. */

export interface Variable<T> {
  readonly name: string;
  /** The wanted shape in words, for messages and the documentation: `a whole number from 1 to 65535`. */
  readonly shape: string;
  readonly description: string;
  /** As the documentation shows it. */
  readonly defaultText: string;
  readonly fallback: T;
  /** `undefined`: malformed. */
  parse(text: string): T | undefined;
}

interface About {
  readonly description: string;
  /** Default: the fallback as text. */
  readonly defaultText?: string;
}

function variable<T>(name: string, shape: string, fallback: T, about: About, parse: Variable<T>['parse']): Variable<T> {
  const defaultText = about.defaultText ?? (fallback === undefined ? 'none' : String(fallback));
  return { name, shape, fallback, description: about.description, defaultText, parse };
}

export function text<F extends string | undefined>(name: string, fallback: F, about: About) {
  return variable<string | F>(name, 'text', fallback, about, (value) => value);
}

export function integer(name: string, fallback: number, range: readonly [number, number], about: About) {
  const [min, max] = range;
  return variable<number>(name, `a whole number from ${min} to ${max}`, fallback, about, (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

export function flag(name: string, fallback: boolean, about: About) {
  return variable<boolean>(name, 'true or false', fallback, about, (value) =>
    value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : undefined,
  );
}

export function choice<const C extends string, F extends C | undefined>(
  name: string,
  choices: readonly C[],
  fallback: F,
  about: About,
) {
  return variable<C | F>(name, `one of ${choices.join(', ')}`, fallback, about, (value) =>
    choices.find((item) => item === value),
  );
}

export function list(name: string, about: About) {
  return variable<readonly string[]>(name, 'a comma-separated list', [], { defaultText: 'empty', ...about }, (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

export function httpUrl<F extends string | undefined>(name: string, fallback: F, about: About) {
  return variable<string | F>(name, 'an http or https URL', fallback, about, (value) =>
    /^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined,
  );
}

/** A database's URL by its scheme; the scheme's own driver checks the rest. */
export function databaseUrl(name: string, schemes: readonly string[], about: About) {
  const shape = `a URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`;
  return variable<string | undefined>(name, shape, undefined, about, (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}:`)) ? value : undefined,
  );
}

export function jsonObject(name: string, about: About) {
  return variable<Readonly<Record<string, unknown>> | undefined>(name, 'a JSON object', undefined, about, (value) => {
    try {
      const parsed: unknown = JSON.parse(value);
      return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
        ? (parsed as Record<string, unknown>)
        : undefined;
    } catch {
      return undefined;
    }
  });
}
