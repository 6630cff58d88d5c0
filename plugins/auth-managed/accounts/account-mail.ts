/** Sends mails about accounts, such as invitations, where the composition has a plugin that delivers by e-mail. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
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
import { atMostEntries } from '../cache-bound.ts';

const HOUR_MS = 3_600_000;
/** Mails of a kind that one person gets in a day; for a forgotten password, which anybody may ask for, in an hour. */
const MOST_TO_ADDRESS = { invitation: 3, password: 5, address: 3, notice: 10 } as const;
/** That one sender, such as an organization, sends in an hour. */
const MOST_OF_SENDER = 100;
/** Letters that are being written for people whose answer has been made. */
const MOST_LATER = 1_000;
const LONGEST_NAME = 100;
/** Who invites waits for the mail server. */
const DEADLINE_MS = 15_000;

export interface AccountLetter {
  readonly kind: keyof typeof MOST_TO_ADDRESS;
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
}

export class AccountMail {
  readonly #init: AccountMailInit;
  // In memory, so each server counts by itself.
  readonly #toAddress = new LRUCache<string, number>(atMostEntries(50_000));
  readonly #ofSender = new LRUCache<string, number>({ ...atMostEntries(10_000), ttl: HOUR_MS });
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
    const { log } = this.#init;
    const address = `${kind} ${to}`;
    const toAddress = this.#toAddress.get(address) ?? 0;
    const ofSender = sender == null ? 0 : (this.#ofSender.get(sender) ?? 0);
    if (toAddress >= MOST_TO_ADDRESS[kind] || ofSender >= MOST_OF_SENDER) {
      log.warn({ kind, id }, 'A mail was not sent: too many have been sent.');
      return false;
    }
    // An entry ends with the time of its first mail.
    const ttl = kind === 'password' ? HOUR_MS : 24 * HOUR_MS;
    this.#toAddress.set(address, toAddress + 1, { ttl, noUpdateTTL: true });
    if (sender != null) this.#ofSender.set(sender, ofSender + 1, { noUpdateTTL: true });
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
