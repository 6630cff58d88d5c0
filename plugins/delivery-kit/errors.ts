/** Defines the error of a delivery, which says whether another try makes sense. */
import { AtlasError, messageOf } from '../../kernel/index.ts';

export interface DeliveryErrorInit {
  /** Another try would fail in the same way. */
  readonly final: boolean;
  /** The earliest time of another try, from now, as the receiver wants it. */
  readonly retryAfterMs?: number | undefined;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** The message is shown to the owner of the task or action: one sentence, no secret. */
export class DeliveryError extends AtlasError {
  readonly final: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { final, retryAfterMs, ...init }: DeliveryErrorInit) {
    super(message, { reason: final ? 'E_DELIVERY_REFUSED' : 'E_DELIVERY_FAILED', ...init });
    this.name = 'DeliveryError';
    this.final = final;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What a delivery threw as a `DeliveryError`: an address or input that was refused is final, the rest may be tried again. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (!(error instanceof AtlasError)) {
    return new DeliveryError('The delivery failed.', { final: false, cause: error });
  }
  const { code, hint } = error;
  const final = code === 'invalid_request' || code === 'configuration_error' || code === 'validation_error';
  return new DeliveryError(messageOf(error), { final, code, hint, cause: error });
}

/** A channel that lacks its configuration. */
export function notConfigured(channel: string, variables: readonly string[]): DeliveryError {
  return new DeliveryError(`${channel} is not configured: ${variables.join(' and ')} must be set.`, {
    final: true,
    code: 'configuration_error',
  });
}
