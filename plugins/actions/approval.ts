/** Orders the modes of approval, keeps restrictions of questions, and decides who may resolve an action. */
import { type Scope, scopeValue } from '../../kernel/index.ts';
import type { ApprovalMode } from './hooks.ts';

/** From the least strict. */
const MODES: readonly ApprovalMode[] = ['auto', 'manual', 'admin-only'];

export function strictest(...modes: readonly ApprovalMode[]): ApprovalMode {
  return MODES[Math.max(...modes.map((mode) => MODES.indexOf(mode)))] ?? 'admin-only';
}

/** What an administrator without an organization may not see or resolve where tenants are kept apart. */
export const OTHERS_ACTIONS = 'What others have asked for';

/** Modes that hold for all actions of a piece of work and of its parts. */
export class Restrictions {
  readonly #modes = scopeValue<ApprovalMode>();

  set(scope: Scope, mode: ApprovalMode): void {
    this.#modes.set(scope, strictest(mode, this.of(scope)));
  }

  of(scope: Scope): ApprovalMode {
    const own = this.#modes.get(scope) ?? 'auto';
    return scope.parent === undefined ? own : strictest(own, this.of(scope.parent));
  }
}
