/** Sends requests to the API, with the credentials of this tab. */

import { TEXTS } from '../texts.ts';
import { authorization, refuseCredential } from './credential.ts';
import { ApiError, failureOf } from './failure.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** The body holds a password, and 401 says that it is wrong: the session goes on. */
  readonly provesPassword?: boolean;
}

/** `fetch` with the credentials of this tab. Throws `ApiError` where the server cannot be reached. */
export async function send(path: string, init: RequestInit = {}, provesPassword = false): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(authorization())) headers.set(name, value);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError({ message: TEXTS.failure.network, status: 0 });
  }
  if (response.status === 401 && !provesPassword) refuseCredential();
  return response;
}

/** The JSON of a success; `undefined` for an empty one. Throws `ApiError`. */
export async function call<T>(path: string, request: ApiRequest = {}): Promise<T> {
  const { method = 'GET', body, signal, provesPassword } = request;
  const init: RequestInit = {
    method,
    ...(signal && { signal }),
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  };
  const response = await send(path, init, provesPassword);
  if (!response.ok) throw await failureOf(response);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError({ message: TEXTS.failure.format, status: response.status });
  }
}
