/** Freezes payloads, hashes what an approval is for, and bounds results and texts. */
import { createHash } from 'node:crypto';
import { AtlasError, messageOf } from '../../kernel/index.ts';
import { masked, withoutCredentials } from '../redaction-kit/index.ts';
import type { ActionSubject } from './hooks.ts';

const MAX_PAYLOAD_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
const MAX_RESULT_CHARS = 64 * 1024;
const MAX_RESULT_BEGINNING = 4_096;
const MAX_TARGET = 500;
const MAX_SUMMARY = 1_000;
const MAX_NOTE = 1_000;

/** The payload as JSON. Throws `invalid_request` when it is too large, too deep, or no JSON. */
export function payloadText(payload: unknown): string {
  if (isDeeper(payload, MAX_DEPTH)) throw invalid(`nested more than ${MAX_DEPTH} levels deep`);
  let text: string | undefined;
  try {
    text = JSON.stringify(payload);
  } catch {
    text = undefined;
  }
  if (text === undefined) throw invalid('no JSON');
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) throw invalid(`larger than ${MAX_PAYLOAD_BYTES} bytes`);
  return text;
}

const invalid = (what: string) =>
  new AtlasError(`The payload of the action is ${what}.`, {
    code: 'invalid_request',
    hint: 'Make it smaller: name data instead of sending them along.',
  });

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** The payload of a text, which nothing can change any more. */
export function frozenPayload(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => Object.freeze(value));
}

/** SHA-256 of all that an approver is shown and a handler is given. */
export function hashOf(type: string, { target, summary }: ActionSubject, payload: string): string {
  return createHash('sha256')
    .update(JSON.stringify([type, target, summary, payload]))
    .digest('hex');
}

/** Identifies who asks for what, by keys that the asking plugin gives; as SHA-256. */
export function wishKeyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Target and summary as they are stored and shown. */
export function shownSubject({ target, summary }: ActionSubject): ActionSubject {
  return { target: line(target, MAX_TARGET), summary: line(summary, MAX_SUMMARY) };
}

/** A reason or an error, on one line and without credentials. */
export const note = (text: string) => line(text, MAX_NOTE);

function line(text: string, length: number): string {
  // Texts that a database or a terminal does not take, or that would hide what follows.
  const plain = String(text)
    .slice(0, 4 * length)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const clean = String(masked(plain));
  return clean.length <= length ? clean : `${clean.slice(0, length - 1).toWellFormed()}…`;
}

/** A result as it is stored: JSON without secrets; of one that is too large, the beginning of its text. */
export function resultText(result: unknown): string {
  try {
    const plain: unknown = JSON.parse(
      JSON.stringify(result ?? null, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ??
        'null',
    );
    const text = JSON.stringify(masked(plain));
    if (text.length <= MAX_RESULT_CHARS) return text;
    return JSON.stringify({ truncated: true, text: text.slice(0, MAX_RESULT_BEGINNING).toWellFormed() });
  } catch {
    return JSON.stringify({ truncated: true, text: 'The handler answered something that is no JSON.' });
  }
}

/** Why an action failed, for the people who may see it. */
export function errorText(error: unknown): string {
  // The kernel names plugin and hook around what a handler has thrown.
  const own = error instanceof AtlasError && error.reason === 'E_TAP_FAILED' ? error.cause : error;
  const hint = own instanceof AtlasError && own.hint !== undefined ? ` ${own.hint}` : '';
  return note(withoutCredentials(`${messageOf(own)}${hint}`));
}
