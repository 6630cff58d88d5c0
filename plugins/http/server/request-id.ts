/** Chooses the id of a request. */
import { randomUUID } from 'node:crypto';

const TOKEN = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's `x-request-id` when it is a short plain token, else a new one. */
export function requestIdOf(inbound: string | string[] | undefined): string {
  return typeof inbound === 'string' && TOKEN.test(inbound) ? inbound : randomUUID();
}
