/** Words the refusal of a request that is not valid, with every fault by its path. */
import { AtlasError } from '../../../kernel/index.ts';

export interface ErrorDetail {
  /** Keys and indices joined by dots: `messages.0.role`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** `what`: the part of the request, such as `The query`. */
export function invalidInput(code: string, what: string, faults: readonly ErrorDetail[]): AtlasError {
  const first = faults[0];
  const where = first === undefined || first.path === '' ? what : `${what} is not valid: ${first.path}`;
  return new AtlasError(`${where} ${first?.message ?? 'is not valid'}.`, { code, details: faults });
}
