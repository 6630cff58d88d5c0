/** Checks recipients, encrypts their secrets, and opens them again for a delivery. */
import { AtlasError } from '../../kernel/index.ts';
import { invalidBody } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { type Outbound, userHeaders } from '../outbound/index.ts';
import type { StoredRecipient } from './rows.ts';
import type { Recipient } from './schemas.ts';

const PURPOSE = 'scheduled-recipient';

type Field = Exclude<keyof Recipient, 'type'>;

/** The fields of each type; the first is required. */
const FIELDS: Readonly<Record<Recipient['type'], readonly [Field, ...Field[]]>> = {
  email: ['address'],
  slack: ['channel', 'teamId'],
  webhook: ['url', 'headers', 'secret'],
};

/** Throws `validation_error` for a recipient that lacks its field, or has one of another type. */
function checkFields(recipient: Recipient, path: string): void {
  const known = FIELDS[recipient.type];
  const [required] = known;
  if (recipient[required] === undefined) {
    throw invalidBody(`${path}.${required}`, `is required for a recipient of type ${recipient.type}`);
  }
  const foreign = Object.keys(recipient).find((key) => key !== 'type' && !known.includes(key as Field));
  if (foreign === undefined) return;
  throw invalidBody(
    `${path}.${foreign}`,
    `is not a field of a recipient of type ${recipient.type} (known: ${known.join(', ')})`,
  );
}

async function checkUrl(url: string, index: number, outbound: Outbound): Promise<void> {
  try {
    await outbound.check(url);
  } catch (error) {
    if (!(error instanceof AtlasError) || error.code !== 'invalid_request') throw error;
    throw invalidBody(`recipients.${index}.url`, `may not be called: ${error.message.replace(/\.$/, '')}`);
  }
}

/**
 * The recipients as they are stored. Throws `validation_error`, also for a URL that may not be called;
 * `configuration_error` when there is no key to encrypt a secret with. `before`: those that they replace.
 */
export async function storedRecipients(
  recipients: readonly Recipient[],
  before: readonly StoredRecipient[],
  { secrets, outbound }: { secrets: InternalDb['secrets']; outbound: Outbound },
): Promise<StoredRecipient[]> {
  for (const [index, recipient] of recipients.entries()) checkFields(recipient, `recipients.${index}`);
  await Promise.all(recipients.map(({ url }, index) => url !== undefined && checkUrl(url, index, outbound)));
  return Promise.all(
    recipients.map(async ({ secret, headers, ...recipient }) => {
      const sealedSecret =
        secret === undefined
          ? before.find(({ url }) => url !== undefined && url === recipient.url)?.sealedSecret
          : await secrets.seal(secret, PURPOSE);
      return {
        ...recipient,
        ...(headers !== undefined && { headers: userHeaders(headers) }),
        ...(sealedSecret !== undefined && { sealedSecret }),
      };
    }),
  );
}

export function shownRecipient({ sealedSecret: _, ...recipient }: StoredRecipient): Omit<Recipient, 'secret'> {
  return recipient;
}

/** With its secret, for a delivery. */
export async function openedRecipient(
  { sealedSecret, ...recipient }: StoredRecipient,
  secrets: InternalDb['secrets'],
): Promise<Recipient> {
  return sealedSecret === undefined ? recipient : { ...recipient, secret: await secrets.open(sealedSecret, PURPOSE) };
}

/** For messages: an address, a channel, or a URL without its parameters, which may be secret. */
export function labelOf({ type, address, channel, url }: StoredRecipient): string {
  return address ?? channel ?? url?.replace(/[?#].*$/, '') ?? type;
}
