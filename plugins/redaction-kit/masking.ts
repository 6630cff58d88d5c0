/** Hides the values of secrets in what is shown or logged: by their names, and credentials in texts. */
import { withoutCredentials } from './credentials.ts';

const HIDDEN = '***';
const MAX_DEPTH = 32;

const SHORTEST_SHOWN = 16;

/** How an administrator recognises a key: its last four characters, when it is long enough to stay a secret without them. */
export const maskedKey = (secret: string) => `****${secret.length < SHORTEST_SHOWN ? '' : secret.slice(-4)}`;

/** Parts of names of secret values, in small letters and without punctuation. */
const SECRET_NAMES =
  /passw|passphrase|passcode|pwd|secret|token|apikey|accesskey|privatekey|signingkey|encryptionkey|authorization|authentication|credential|cookie|connectionstring|bearer|signature|sessionid|webhookkey/;
const WHOLE_NAMES = new Set(['auth', 'key', 'pass', 'pin', 'otp', 'jwt', 'xapikey', 'dsn']);

const isSecret = (name: unknown, also?: RegExp): boolean => {
  if (typeof name !== 'string') return false;
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return SECRET_NAMES.test(plain) || WHOLE_NAMES.has(plain) || also?.test(plain) === true;
};

/** Lists of headers come as `{name, value}` too. */
const NAME_KEYS = ['name', 'key', 'header', 'field'];

/**
 * A copy with `***` in place of every value under the name of a secret, at any depth, and of credentials in texts.
 * `also`: further names whose values are hidden, in small letters and without punctuation.
 */
export function masked(value: unknown, also?: RegExp, depth = 0): unknown {
  if (typeof value === 'string') return withoutCredentials(withoutQuerySecrets(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return HIDDEN;
  if (Array.isArray(value)) {
    const [name, ...rest] = value;
    if (rest.length === 1 && isSecret(name, also) && typeof rest[0] === 'string') return [name, HIDDEN];
    return value.map((item) => masked(item, also, depth + 1));
  }
  const record = value as Readonly<Record<string, unknown>>;
  const isPair = 'value' in record;
  const isSecretPair = isPair && NAME_KEYS.some((name) => isSecret(record[name], also));
  return Object.fromEntries(
    Object.entries(record).map(([name, item]) => {
      const isHidden =
        isPair && NAME_KEYS.includes(name) ? false : isSecret(name, also) || (isSecretPair && name === 'value');
      return [name, isHidden && item !== null ? HIDDEN : masked(item, also, depth + 1)];
    }),
  );
}

/** URLs carry keys in their parameters. */
function withoutQuerySecrets(text: string): string {
  return text.replace(/([?&;])([\w.~%-]{1,64})=([^&#\s"']+)/g, (whole, sign: string, name: string) =>
    isSecret(name) || /^(?:sig|code)$/i.test(name) ? `${sign}${name}=${HIDDEN}` : whole,
  );
}
