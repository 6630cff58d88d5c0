import { type Actor, AtlasError, type Scope } from '../../kernel/index.ts';
import { claimAt, claimsOf } from '../auth-kit/index.ts';
import type { BoundValue, ColumnType } from '../sql-kit/index.ts';
import { bindable } from './column-type.ts';

const MOST_VALUES = 1_024;

export interface ClaimSource {
  readonly path: string;
  readonly staticClaims: Readonly<Record<string, unknown>> | undefined;
}

const read = ({ path, staticClaims }: ClaimSource, actor: Actor): unknown =>
  claimAt(claimsOf(actor, staticClaims), path);

/**
 * How many values a statement has to bind for the claim: a power of two, so that checked statements serve lists of
 * many lengths; the last value fills up. A claim that cannot be used counts as one and refuses when it is bound.
 */
export function placesFor(source: ClaimSource, actor: Actor): number {
  const claim = read(source, actor);
  if (!Array.isArray(claim) || claim.length <= 1 || claim.length > MOST_VALUES) return 1;
  return 2 ** Math.ceil(Math.log2(claim.length));
}

/** One of the claim's values, as the column `type` needs it. `table` is for the message. */
export function boundClaim(source: ClaimSource, index: number, type: ColumnType, table: string): BoundValue {
  return {
    valueFor(scope: Scope): unknown {
      const claim = read(source, scope.actor);
      const list = Array.isArray(claim) ? claim : [claim];
      if (claim === undefined || claim === null || claim === '' || list.length === 0) {
        throw refusal(table, 'E_CLAIM_MISSING', `the claim "${source.path}" is missing or empty`);
      }
      if (list.length > MOST_VALUES) {
        throw refusal(table, 'E_CLAIM_TYPE', `the claim "${source.path}" has more than ${MOST_VALUES} values`);
      }
      const value = bindable(list[Math.min(index, list.length - 1)], type);
      if (value !== undefined) return value;
      const wanted = `the claim "${source.path}" is not ${SHAPES[type]}${Array.isArray(claim) ? ' in every place' : ''}`;
      throw refusal(table, 'E_CLAIM_TYPE', wanted);
    },
  };
}

const SHAPES: Readonly<Record<ColumnType, string>> = {
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  uuid: 'a UUID',
  text: 'a text or an integer',
  any: 'a text, a number, true or false',
  flexible: 'a text or a number in its plain spelling',
  converted: 'a text or an integer',
};

function refusal(table: string, reason: string, because: string): AtlasError {
  return new AtlasError(`The rows of "${table}" that you may see are not known: ${because}.`, {
    code: 'forbidden',
    reason,
    hint: 'Sign in with an account that has it, or ask an administrator to add it.',
  });
}
