/** Sends mails about accounts, such as invitations, where the composition has a plugin that delivers by e-mail. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  AtlasError,
  type Delivery,
  deliver,
  deliverBefore,
  type Logger,
  messageOf,
  type PluginContext,
  type Scope,
} from '../../../kernel/index.ts';
import type { Attempts } from '../../shared-limits/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Mails of a kind that one person gets in a day; for a forgotten password, which anybody may ask for, in an hour. */
const TO_ADDRESS = {
  invitation: { free: 3, forgetMs: DAY_MS },
  password: { free: 5, forgetMs: HOUR_MS },
  address: { free: 3, forgetMs: DAY_MS },
  notice: { free: 10, forgetMs: DAY_MS },
} as const;
/** That one sender, such as an organization, sends in an hour. */
const OF_SENDER = { free: 100, forgetMs: HOUR_MS };
/** Letters that are being written for people whose answer has been made. */
const MOST_LATER = 1_000;
const LONGEST_NAME = 100;
/** Who invites waits for the mail server. */
const DEADLINE_MS = 15_000;

export interface AccountLetter {
  readonly kind: keyof typeof TO_ADDRESS;
  /** Names the letter in the log. */
  readonly id: string;
  readonly to: string;
  /** Whose letters are counted together. */
  readonly sender?: string | null;
  readonly subject: string;
  readonly text: string;
}

/** One line: what people have named must not look like more of the mail. */
export function lineOf(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME).toWellFormed()}…` : line;
}

export interface AccountMailInit {
  readonly ctx: Pick<PluginContext, 'call' | 'callKey' | 'scope'>;
  readonly log: Logger;
  /** The address of a path below the public URL, if that is known. */
  readonly link: (path: string) => string | undefined;
  /** Counts mails. */
  readonly attempts: Attempts;
}

export class AccountMail {
  readonly #init: AccountMailInit;
  readonly #running = new Set<Promise<void>>();

  constructor(init: AccountMailInit) {
    this.#init = init;
  }

  /** What a mail says of a page to open: the link, or what to do where the server does not know its own address. */
  toOpen(path: string): string {
    const link = this.#init.link(path);
    if (link !== undefined) return `open this link:\n\n${link}`;
    return `open this page at the address under which you use Atlas:

${path}

This is no full link because the server does not know its own address: its operator has to set SVC_PUBLIC_URL.`;
  }

  /** Does `work` after the answer has been made, which so tells nothing of what it finds. */
  later(work: () => Promise<void>): void {
    if (this.#running.size >= MOST_LATER) {
      this.#init.log.warn({}, 'A mail was not written: too many wait for the mail server.');
      return;
    }
    const running: Promise<void> = nextTurn()
      .then(work)
      .catch((error: unknown) => {
        this.#init.log.warn({ detail: messageOf(error) }, 'A mail could not be written.');
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when nothing is left of what was to be done later. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Whether the mail was sent; `undefined` where nothing delivers by e-mail. Never rejects: what it is about stands. */
  async send({ kind, id, to, sender, subject, text }: AccountLetter, scope: Scope): Promise<boolean | undefined> {
    const { log, attempts } = this.#init;
    const { waitMs } = await attempts.count([
      { key: `${kind} ${to}`, limit: TO_ADDRESS[kind] },
      ...(sender == null ? [] : [{ key: `sender ${sender}`, limit: OF_SENDER }]),
    ]);
    if (waitMs > 0) {
      log.warn({ kind, id }, 'A mail was not sent: too many have been sent.');
      return false;
    }
    try {
      await this.#deliver(
        { channel: 'email', recipient: { type: 'email', address: to }, subject, content: { id, text } },
        scope,
      );
      return true;
    } catch (error) {
      if (error instanceof AtlasError) {
        if (error.reason === 'E_KEY_UNKNOWN' || error.code === 'configuration_error') return undefined;
      }
      log.warn({ kind, id, detail: messageOf(error) }, 'A mail could not be sent.');
      return false;
    }
  }

  async #deliver(delivery: Delivery, { requestId, actor, orgId }: Scope): Promise<void> {
    const { ctx } = this.#init;
    // Goes on when the caller has gone.
    const scope = ctx.scope({ requestId, actor, orgId });
    const prepared = await ctx.call(deliverBefore, delivery, scope);
    await ctx.callKey(deliver, prepared.channel, prepared, scope, DEADLINE_MS);
  }
}
