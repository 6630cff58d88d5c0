/** Defines the hook by which plugins bring types of actions. */
import type { TSchema } from '@sinclair/typebox';
import { type Actor, collect } from '../../kernel/index.ts';

/**
 * Who lets an action run. `auto`: it runs at once. `manual`: a user with the right to approve, the requester included.
 * `admin-only`: an administrator other than the requester.
 */
export type ApprovalMode = 'auto' | 'manual' | 'admin-only';

/** What an action does, for the people who approve it. */
export interface ActionSubject {
  /** On what or whom it acts: an address, a channel, a URL. At most 500 characters are kept. */
  readonly target: string;
  /** What will happen, in one sentence without secrets. At most 1,000 characters are kept. */
  readonly summary: string;
}

/** A type of action. `defineAction` brings one together with the handler that performs it. */
export interface ActionType {
  /** Key of `action.execute`: `email`. Small letters, digits and hyphens. */
  readonly type: string;
  /** Name of the tool by which the model asks for it; default: the type. `false`: the model cannot ask for it. */
  readonly tool?: string | false;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** Schema of the payload, which is also that of the tool's arguments. */
  readonly input: TSchema;
  /** Unless the options of the plugin `actions` say otherwise for this type. */
  readonly approval: ApprovalMode;
  /** Whether what it did can be undone. */
  readonly reversible: boolean;
  /** What others than the requester are shown of a result; missing: all of it. */
  shownToOthers?(result: unknown): unknown;
  /** Whether an actor who may see the action is shown summary, payload and errors; missing: always. */
  isShownTo?(actor: Actor): boolean;
  /** `payload` is valid by `input`. */
  describe(payload: unknown): ActionSubject;
}

export const actionTypes = collect<undefined, ActionType>('action.types', {
  summary: 'Types of actions with the schema of their payload and how they are approved; `defineAction` brings one.',
});
