/** Defines the bus events of usage, for observers such as telemetry. */
import { defineEvent, type Scope } from '../../kernel/index.ts';
import type { ModelCalled } from '../agent/index.ts';
import type { CountedCall } from './account.ts';
import type { Budget } from './budgets.ts';

export interface UsageCounted {
  /** Scope of the question. */
  readonly scope: Scope;
  readonly model: ModelCalled['model'];
  readonly call: CountedCall;
}
/** A model call was counted. */
export const usageCounted = defineEvent<UsageCounted>('usage:counted');

/** A question was refused, or its tool phase ended. */
export const budgetExhausted = defineEvent<{ readonly budget: 'question' | Budget['name'] }>('budget:exhausted');
