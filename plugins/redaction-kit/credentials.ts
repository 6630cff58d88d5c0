/**
 * Hides passwords, keys and tokens in a text that is stored, logged or sent on: a statement, an error of a driver, a
 * log line. Every rule reads a text of any length in linear time: runs are bounded, or cannot fail.
 */

const HIDDEN = '***';

/** Names of secret values. */
const NAMES =
  'password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|encryption[_-]?key|(?:auth|access|refresh|bot|id|session)[_-]?token|credential|connection[_-]?string';
const SIGN = '(?:=>|:=|<>|!=|[:=])';
const link = (words: string) => `(?:${SIGN}|\\b(?:${words})\\b)`;
/** The quote that closes a name which such a quote opens: `"secrets"`, `'public.secrets'`. */
const closing = (group: number) => `(?<=(["'\x60])[\\w$.-]{1,80})\\${group}(?!\\w)`;
/** A name, and what stands between it and its value: `password = '`, `"password": "`, `PASSWORD '`, `password LIKE '`. */
const NAMED = String.raw`(?:${NAMES})s?(?:${closing(2)}\s{0,9}${link('to|by|is|like|ilike')}\s{0,9}|(?!${closing(3)})["'\x60]?\s{0,9}${link('to|as|by|is|like|ilike')}?\s{0,9})`;
/** Quoted, closed or not. */
const SINGLE = String.raw`'{1,2}(?:[^'\\]|''|\\[\s\S])*(?:'|\\?$)`;
const DOUBLE = String.raw`"(?:[^"\\]|""|\\[\s\S])*(?:"|\\?$)`;
/** What is no word: it has a digit, is padded or is long. */
const OPAQUE = '(?=[a-z0-9._~+/-]{20}|[a-z._~+/-]{0,40}[0-9]|[a-z+/]{4,40}=)[a-z0-9._~+/-]{6,}=*';

const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [new RegExp(`(${NAMED})${SINGLE}`, 'gi'), `$1'${HIDDEN}'`],
  [new RegExp(`(${NAMED})${DOUBLE}`, 'gi'), `$1"${HIDDEN}"`],
  // Without quotes; but `api-key:4f1b8c02` is the id of an actor, and `(using password: YES)` what MySQL says.
  [
    new RegExp(
      `((?:${NAMES})s?["'\x60]?\\s{0,9}(?:=>|:=|=|(?<!api-key):|:(?=\\s))\\s{0,9})(?![=:'"*]|(?:yes|no)\\))[^\\s'",;)&]+`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // A token is also a word of parsers: "unexpected token ')'".
  [new RegExp(`(token["'\x60]?\\s{0,9}(?:=>|:=|=)\\s{0,9}|"token":\\s{0,9})${SINGLE}`, 'gi'), `$1'${HIDDEN}'`],
  [new RegExp(`(token["'\x60]?\\s{0,9}(?:=>|:=|=)\\s{0,9}|"token":\\s{0,9})${DOUBLE}`, 'gi'), `$1"${HIDDEN}"`],
  [/(token=)(?![=\s'"*])[^\s;&'",)]+/gi, `$1${HIDDEN}`],
  [
    new RegExp(`\\b(identified\\s{1,9}(?:with\\s{1,9}\\S{1,64}\\s{1,9})?(?:by|as)\\s{1,9})${SINGLE}`, 'gi'),
    `$1'${HIDDEN}'`,
  ],
  [new RegExp(`\\b((?:bearer|basic)\\s{1,9})${OPAQUE}`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`(authorization["']?\\s{0,9}[:=]\\s{0,9}["']?(?:[a-z]{1,20}\\s{1,9})?)${OPAQUE}`, 'gi'), `$1${HIDDEN}`],
  [/\b((?:set-)?cookie["']?\s{0,9}[:=]\s{0,9}["']?)[^\s=;,'"]{1,256}=[^\r\n'"]*/gi, `$1${HIDDEN}`],
  // JSON Web Tokens, private keys, and the tokens of well-known services by their prefix.
  [/(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, HIDDEN],
  [/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g, HIDDEN],
  [
    /\b(?:sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abeoprs]-[\w-]{10,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|glpat-[\w-]{16,}|hf_\w{20,}|npm_\w{20,})/g,
    HIDDEN,
  ],
];

/** What every rule needs at least, so that most texts are read once and left alone. */
const SUSPICIOUS =
  /:\/\/|pass|pwd|secret|key|token|credential|connection|identified|bearer|basic|authorization|cookie|eyJ|sk[-_]|rk_|gh[pousr]_|github_|xox|A(?:KIA|SIA)|AIza|glpat|hf_|npm_/i;

/** The text with `***` in place of passwords, keys and tokens. */
export function withoutCredentials(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let clean = text.includes('://') && text.includes('@') ? text.replace(/[^\s'"`]+/g, withoutUserinfo) : text;
  for (const [pattern, replacement] of RULES) clean = clean.replace(pattern, replacement);
  return clean;
}

/** A word with its URLs' user and password hidden, up to the last `@`, whatever the password contains. */
function withoutUserinfo(word: string): string {
  const last = word.lastIndexOf('@');
  let clean = '';
  let done = 0;
  for (let at = word.indexOf('://'); at >= 0 && at < last; at = word.indexOf('://', Math.max(at + 3, done))) {
    const start = at + 3;
    const stop = start + word.slice(start).search(/[/:@]/);
    if (word[stop] === '/') continue;
    clean += `${word.slice(done, start)}${HIDDEN}`;
    done = word[stop] === '@' ? stop : last;
  }
  return clean + word.slice(done);
}
