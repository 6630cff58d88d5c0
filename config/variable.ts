/** One environment variable: its name, the shape of its value, and what it does. */
import { isIP } from 'node:net';

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

/** A secret text of at least so many characters. */
export function secret(name: string, minLength: number, about: About) {
  return variable<string | undefined>(name, `a text of at least ${minLength} characters`, undefined, about, (value) =>
    value.length >= minLength ? value : undefined,
  );
}

/** Keys of 32 bytes in base64. */
export function encryptionKeys(name: string, about: About) {
  const shape = '32 bytes in base64, or several such keys separated by commas';
  return variable<readonly string[]>(name, shape, [], { defaultText: 'none', ...about }, (value) => {
    const keys = value.split(',').map((key) => key.trim());
    return keys.every((key) => /^[A-Za-z0-9+/_-]{43}=?$/.test(key)) ? keys : undefined;
  });
}

/** True, false, or the addresses and networks of proxies. */
export function proxies(name: string, about: About) {
  const shape = 'true, false, or a comma-separated list of addresses and networks';
  return variable<boolean | readonly string[]>(name, shape, false, about, (value) => {
    if (/^(true|1)$/.test(value)) return true;
    if (/^(false|0)$/.test(value)) return false;
    const networks = value.split(',').map((network) => network.trim());
    return networks.every((network) => isIP(network.replace(/\/\d{1,3}$/, '')) > 0) ? networks : undefined;
  });
}

export function integer<F extends number | undefined>(
  name: string,
  fallback: F,
  range: readonly [number, number],
  about: About,
) {
  const [min, max] = range;
  return variable<number | F>(name, `a whole number from ${min} to ${max}`, fallback, about, (value) => {
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

export function email(name: string, about: About) {
  return variable<string | undefined>(name, 'an e-mail address', undefined, about, (value) =>
    /^[^\s@]+@[^\s@]+$/.test(value) ? value : undefined,
  );
}

/** The address of a server, without a path. */
export function httpOrigin(name: string, about: About) {
  const shape = 'an http or https URL without a path, such as https://api.example.com';
  return variable<string | undefined>(name, shape, undefined, about, (value) =>
    /^https?:/i.test(value) && isOrigin(value) ? asBrowsersWrite(value) : undefined,
  );
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@*]+\/?$/i;

const isOrigin = (text: string) => ORIGIN.test(text) && URL.canParse(text);

/** In lower case and without the scheme's own port. */
function asBrowsersWrite(origin: string): string {
  const { origin: known } = new URL(origin);
  return known === 'null' ? origin.replace(/^[^:]+/, (scheme) => scheme.toLowerCase()) : known;
}

/** Origins of web pages; `isOpen`: also those of apps, by any scheme, and `*` for all of them. */
export function origins(name: string, isOpen: boolean, about: About) {
  const shape = `a comma-separated list of origins, such as https://app.example.com${isOpen ? ', or *' : ''}`;
  return variable<readonly string[]>(name, shape, [], { defaultText: 'empty', ...about }, (value) => {
    const items = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    const isAllowed = (item: string) => isOrigin(item) && (isOpen || /^https?:/i.test(item));
    const areOrigins = items.every((item) => (isOpen && item === '*') || isAllowed(item));
    if (items.length === 0 || !areOrigins) return undefined;
    return items.map((item) => (item === '*' ? item : asBrowsersWrite(item)));
  });
}

/** A database's URL by its scheme; the scheme's own driver checks the rest. */
export function databaseUrl(name: string, schemes: readonly string[], about: About) {
  const shape = `a URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`;
  return variable<string | undefined>(name, shape, undefined, about, (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}:`)) ? value : undefined,
  );
}

export function share(name: string, fallback: number, about: About) {
  return variable<number>(name, 'a number from 0 to 1', fallback, about, (value) =>
    /^(0|1|1\.0*|0?\.\d+)$/.test(value) ? Number(value) : undefined,
  );
}

/** As OpenTelemetry writes headers and attributes; values may be percent-encoded. */
export function pairs(name: string, about: About) {
  const shape = 'a comma-separated list of key=value';
  return variable<Readonly<Record<string, string>>>(name, shape, {}, { defaultText: 'none', ...about }, (value) => {
    const found = value.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
    try {
      return found.includes(null)
        ? undefined
        : Object.fromEntries(found.map((pair) => [pair?.[1], decodeURIComponent(pair?.[2] ?? '')]));
    } catch {
      return undefined;
    }
  });
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
