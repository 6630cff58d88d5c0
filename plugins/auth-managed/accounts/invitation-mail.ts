/** Sends invitations by mail, where the composition has a plugin that delivers by e-mail. */
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

export interface Invited {
  readonly id: string;
  readonly email: string;
  readonly organization: string;
  readonly inviter: string;
  readonly role: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly acceptUrl: string;
}

const HOUR_MS = 3_600_000;
/** Mails that one person gets in a day, and that one organization sends in an hour. */
const MOST_TO_ADDRESS = 3;
const MOST_OF_ORGANIZATION = 100;
const LONGEST_NAME = 100;
/** Who invites waits for the mail server. */
const DEADLINE_MS = 15_000;

/** One line: what people have named must not look like more of the mail. */
function lineOf(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME).toWellFormed()}…` : line;
}

export class InvitationMail {
  readonly #ctx: Pick<PluginContext, 'call' | 'callKey' | 'scope'>;
  readonly #log: Logger;
  // In memory, so each server counts by itself.
  readonly #toAddress = new LRUCache<string, number>({ max: 50_000, ttl: 24 * HOUR_MS });
  readonly #ofOrganization = new LRUCache<string, number>({ max: 10_000, ttl: HOUR_MS });

  constructor(ctx: Pick<PluginContext, 'call' | 'callKey' | 'scope'>, log: Logger) {
    this.#ctx = ctx;
    this.#log = log;
  }

  /** Whether the mail was sent; `undefined` where nothing delivers by e-mail. Never rejects: the invitation stands. */
  async send(invited: Invited, scope: Scope): Promise<boolean | undefined> {
    const toAddress = this.#toAddress.get(invited.email) ?? 0;
    const ofOrganization = this.#ofOrganization.get(scope.orgId ?? '') ?? 0;
    if (toAddress >= MOST_TO_ADDRESS || ofOrganization >= MOST_OF_ORGANIZATION) {
      this.#log.warn({ invitation: invited.id }, 'An invitation was not mailed: too many have been sent.');
      return false;
    }
    // An entry ends with the time of its first mail.
    this.#toAddress.set(invited.email, toAddress + 1, { noUpdateTTL: true });
    this.#ofOrganization.set(scope.orgId ?? '', ofOrganization + 1, { noUpdateTTL: true });
    try {
      await this.#deliver(messageTo(invited), scope);
      return true;
    } catch (error) {
      if (error instanceof AtlasError) {
        if (error.reason === 'E_KEY_UNKNOWN' || error.code === 'configuration_error') return undefined;
      }
      this.#log.warn({ invitation: invited.id, detail: messageOf(error) }, 'An invitation could not be mailed.');
      return false;
    }
  }

  async #deliver(delivery: Delivery, { requestId, actor, orgId }: Scope): Promise<void> {
    // Goes on when the caller has gone.
    const scope = this.#ctx.scope({ requestId, actor, orgId });
    const prepared = await this.#ctx.call(deliverBefore, delivery, scope);
    await this.#ctx.callKey(deliver, prepared.channel, prepared, scope, DEADLINE_MS);
  }
}

function messageTo({ id, email, expiresAt, acceptUrl, ...names }: Invited): Delivery {
  const [organization, inviter, role] = [names.organization, names.inviter, names.role].map(lineOf);
  const text = `${inviter} invites you to the organization "${organization}" on Atlas, with the role ${role}.

To accept, sign up or sign in with this address, ${email}, and send:

POST ${acceptUrl}
{"invitationId": "${id}"}

The invitation ends at ${expiresAt}. If you did not expect it, you need not do anything.
`;
  const subject = `Invitation to ${organization} on Atlas`;
  return { channel: 'email', recipient: { type: 'email', address: email }, subject, content: { id, text } };
}
