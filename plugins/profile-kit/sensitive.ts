/** Decides which columns contain credentials and which values may be written as samples; when unsure, none. */
import { withoutCredentials } from '../redaction-kit/index.ts';
import { plainName } from './names.ts';

/** Characters of a value that are searched for credentials. */
const MAX_SEARCHED_CHARS = 10_000;

/** Matches whole words of a plain name, in singular or plural, with or without a number: `address` in `address_2`. */
const words = (...lists: readonly string[]) => new RegExp(`(?:^|_)(?:${lists.join('|')})s?_?\\d*(?=_|$)`);
/** Matches words at the end of a name: `customer` and `customer_name`, but not `customer_segment`. */
const lastWords = (...lists: readonly string[]) =>
  new RegExp(`(?:^|_)(?:${lists.join('|')})s?_?\\d*(?:_(?:name|id|no|nr|number|code|ref|info|detail)s?)?$`);

/** Names of credentials. */
const CREDENTIAL = [
  /passw|pwd|passphrase|pass_?code|secret(?!ar)|token(?!i[sz])|credential|cookie|bearer|api_?key/,
  /(?:access|signing|signature|private|secret|encryption|ssh|master|licen[sc]e|auth|security|session|hmac|shared)_?key/,
  words('pw', 'pin', 'pin_?code', 'otp', 'totp', 'hotp', 'mfa', 'tfa', '2fa', 'cvv', 'cvc', 'csc', 'cvn', 'jwt', 'dsn'),
  words('recovery_code', 'backup_code', 'verification_code', 'security_(?:code|answer|question)', 'mnemonic'),
  words('conn(?:ection)?_?str(?:ing)?', 'database_url', 'seed_phrase'),
];
/** Names of credentials in text columns only: a number named `salt` is an ingredient. */
const CREDENTIAL_TEXT = words(
  ...['pass', 'recovery', 'session', 'o?auth', 'authori[sz]ation', 'hashe?', 'salt', 'nonce', 'signature'],
  ...['hmac', 'md', 'sha', 'bcrypt'],
);
/** Generic column names, which inherit the table's meaning: `value` in `api_keys` is a credential. */
const GENERIC = /^(?:key|value|code|data|content|payload|body)s?$/;

/** Names of personal data and free text. */
const PRIVATE = [
  /mail|phone|mobile|telefon|address|adresse|street|strasse|straße|birth|geburt|iban|passport|nick|webhook|website/,
  /(?:first|last|full|sur|user|maiden|middle|given|family|display|legal|real|father|mother|account)s?_?name/,
  /credit_?card|card_?(?:no|nr|num|holder)|zip_?code|post_?code|ip_?addr|hostname|(?:^|_)(?:vor|nach)name/,
  words('fax', 'tel', 'cell', 'ip', 'ipv', 'mac', 'imei', 'imsi', 'uuid', 'guid', 'fingerprint', 'device_id'),
  words('zip', 'postal', 'plz', 'lat', 'latitude', 'lon', 'lng', 'longitude', 'gps', 'coordinate'),
  words('dob', 'ssn', 'sin', 'nin', 'nino', 'tin', 'social_security', 'social_(?:number|no|nr)', 'number_plate'),
  words('(?:national|tax|vat|identity|citizen|personal|government|insurance)_?(?:id|identifier|no|nr|num|number|code)'),
  words('(?:id|identity)_?(?:card|no|nr|num|number)', 'licen[sc]e_?(?:no|nr|num|number|plate)'),
  words('card', 'pan', 'bic', 'swift', '(?:account|acct|bank|routing|sort|konto)_?(?:no|nr|num|number|code)'),
  words('note', 'comment', 'remark', 'description', 'message', 'msg', 'body', 'bodie', 'text', 'memo', 'feedback'),
  words('bio', 'biography', 'content', 'payload', 'url', 'uri', 'link', 'href', 'endpoint', 'key', 'handle', 'alias'),
  lastWords('contact', 'person', 'people', 'login', 'user', 'owner', 'holder', 'assignee', 'author', 'patient'),
  lastWords('employee', 'manager', 'doctor', 'physician', 'recipient', 'sender', 'guest', 'student', 'teacher'),
  lastWords('candidate', 'applicant', 'driver', 'sales_?person', 'employer'),
  lastWords('customer', 'client', 'company', 'companie'),
  /^(?:names?|values?|data|config|settings)$|_by$/,
];
/** Names of special categories of personal data, of which not even the categories are written. */
const SPECIAL =
  /diagnos|medica|prescri|allerg|disease|therap|treatment|symptom|illness|disabilit|religio|ethnic|sexual|biometr|genetic/;

/** Names of columns that name what the rows of a table are called. */
const LABEL = /^(name|label|title)$/;
/** Names of days of one person's life. */
const LIFE = /birth|geburt|born|death|died|deceased|(?:^|_)do[bd](?:_|$)/;

/** Names of kinds and visits: `token_type`, `email_status` and `session_id` contain neither tokens nor addresses. */
const KIND =
  /(?:^|_)session_?id$|_(?:type|status|kind|category|class|method|provider|level|country|currency|language|algorithm|format)$/;
/** Names of numbers, times and flags about credentials: `token_count`, `password_changed_at`. */
const QUANTITY =
  /_(?:id|count|usage|used|duration|seconds|minutes|ms|length|size|limit|attempts|rate|cost|price|amount|total|age|at|on|date|time|expires|expiry|until|set|enabled|required|verified|valid|expired|revoked)$|^(?:is|has)_|(?:input|output|prompt|completion|total|max|cached|reasoning)_tokens$/;

const matches = (patterns: readonly RegExp[], name: string) => patterns.some((pattern) => pattern.test(name));

const isCredentialName = (name: string) => matches(CREDENTIAL, name) && !KIND.test(name);

/** Whether a column's name says that it contains credentials. */
export function isNamedCredential(table: string, column: string, type: string): boolean {
  const name = plainName(column);
  if (KIND.test(name)) return false;
  if (type === 'string' || type === 'json') {
    if (CREDENTIAL_TEXT.test(name)) return true;
  } else if (QUANTITY.test(name)) return false;
  const owner = plainName(table);
  return isCredentialName(name) || (GENERIC.test(name) && isCredentialName(owner) && !QUANTITY.test(owner));
}

function isNamedPrivate(column: string): boolean {
  const name = plainName(column);
  return SPECIAL.test(name) || (!KIND.test(name) && matches([...PRIVATE, ...CREDENTIAL, CREDENTIAL_TEXT], name));
}

/** Whether values of a column with this name may ever be written; see also `isLookupLabel`. */
export const mayShowValues = (column: string) => LABEL.test(plainName(column)) || !isNamedPrivate(column);

/** Whether a column's name says that its times are those of people's lives and health. */
export function isPrivateTime(column: string): boolean {
  const name = plainName(column);
  return LIFE.test(name) || SPECIAL.test(name);
}

const PRIVATE_VALUE = [
  // E-mail addresses, URLs and hosts.
  /\S@\S|:\/\/|^(?:www|mailto|tel)[.:]/i,
  // Seven digits, however grouped: telephone, card, account and identity numbers, dates of birth.
  /\d(?:[ ()./-]{0,3}\d){6}/,
  // IBANs, IP and MAC addresses, coordinates.
  /^[A-Z]{2}\d{2}[A-Z0-9 ]{10,}$/i,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-f]{0,4}:){3}|\d\.\d{4}/i,
  // UUIDs, hexadecimal digests, keys.
  /[0-9a-f]{8}-[0-9a-f]{4}-|(?=[a-f]*\d)[0-9a-f]{12}/i,
  /(?=[A-Za-z]{0,64}\d)[A-Za-z0-9]{16}|[A-Za-z0-9+/_-]{20,}={1,2}/,
];

/** Whether a word alternates between letters and digits, or lower and upper case, as words of a language do not. */
const isRandom = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .some(
      (word) =>
        (word.length >= 8 && (word.match(/[a-z](?=\d)|\d(?=[a-z])/gi) ?? []).length >= 3) ||
        (word.length >= 16 && (word.match(/[a-z](?=[A-Z])/g) ?? []).length >= 4),
    );

/** Whether a value contains a credential that the log would redact. */
export function holdsCredential(value: unknown): boolean {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return false;
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_SEARCHED_CHARS);
  return withoutCredentials(text) !== text;
}

const MAX_SAMPLES = 20;
const MAX_SAMPLE_CHARS = 40;
const MIN_VALUES = 5;

/** Whether a value is a short, printable text without personal data. */
const isPlainText = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= MAX_SAMPLE_CHARS &&
  !/\p{Cc}/u.test(value) &&
  !matches(PRIVATE_VALUE, value) &&
  !isRandom(value);

/** Whether a column's values are those of a category: few, repeated, short and not personal. */
export function isCategory(column: string, values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== null && value !== undefined);
  const different = new Set(known);
  return (
    known.length >= MIN_VALUES &&
    different.size <= known.length / 2 &&
    !isNamedPrivate(column) &&
    samplesOf(known) !== undefined
  );
}

/** Names of tables of people and firms; "er", "or" and "ist" end the names of those who do something. */
const PARTIES = lastWords(
  ...[
    '\\w*(?:er|or|ist|ian|ee|man|men|ant)',
    'person',
    'people',
    'staff',
    'crew',
    'team',
    'client',
    'patient',
    'student',
  ],
  ...['pupil', 'guest', 'lead', 'contact', 'account', 'agent', 'resident', 'citizen', 'child', 'children', 'parent'],
  ...['nurse', 'coach', 'judge', 'physician', 'relative', 'delegate', 'representative', 'household', 'case'],
  ...['company', 'companie', 'firm', 'organi[sz]ation', 'business', 'businesse'],
);
const OF_PEOPLE = /(first|last|full|sur|given|family|maiden)_?name|mail|phone|mobile|birth|gender|salary|wage|hire/;

/** Whether a table only lists what others refer to, such as branches, plans or categories, and neither people nor firms. */
export function isLookup(table: string, columns: readonly string[], rows: number): boolean {
  const names = columns.map(plainName);
  return rows <= MAX_SAMPLES && !PARTIES.test(plainName(table)) && !names.some((name) => OF_PEOPLE.test(name));
}

/** Whether the values of a column of such a table may be written: what its rows are called, and what places them. */
export const isLookupLabel = (column: string, values: readonly unknown[]): boolean =>
  mayShowValues(column) && samplesOf(values) !== undefined;

/** The distinct values in order when they are few and each may be written; else `undefined`. */
export function samplesOf(values: readonly unknown[]): readonly string[] | undefined {
  const different = [...new Set(values.filter((value) => value !== null && value !== undefined))];
  return different.length > 0 && different.length <= MAX_SAMPLES && different.every(isPlainText)
    ? different.sort()
    : undefined;
}
