/** Marks the requests that the plugin runs itself, so that a handler can tell them from any other plugin's. */
import type { ActionRequest } from '../../kernel/index.ts';

/** An action that was approved and that this server has leased. Only this plugin makes one: the mark cannot be copied. */
export class ApprovedRequest implements ActionRequest {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly summary: string;
  readonly payload: unknown;
  readonly #isApproved = true;

  constructor({ id, type, target, summary, payload }: ActionRequest) {
    this.id = id;
    this.type = type;
    this.target = target;
    this.summary = summary;
    this.payload = payload;
    Object.freeze(this);
  }

  static isOne(request: ActionRequest): boolean {
    return #isApproved in request && request.#isApproved;
  }
}
