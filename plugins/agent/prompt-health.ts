/** Reports in the health report when the server of the model has cut the last prompt. */
import type { HealthItem } from '../../kernel/index.ts';

export class PromptHealth {
  #truncation: string | undefined;

  /** `truncation`: what is wrong with the prompt of a call that was answered; `undefined` when it was read whole. */
  answered(truncation: string | undefined): void {
    this.#truncation = truncation;
  }

  items(): HealthItem[] {
    const message = this.#truncation;
    return message === undefined ? [] : [{ component: 'provider', id: 'prompt', status: 'degraded', message }];
  }
}
