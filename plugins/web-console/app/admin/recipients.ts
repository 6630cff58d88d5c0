/** Reads and writes the recipients of a schedule as lines of text: addresses, channels or URLs. */

export interface Recipient {
  readonly type: string;
  readonly address?: string;
  readonly channel?: string;
  readonly url?: string;
}

const MAIN: Readonly<Record<string, 'address' | 'channel' | 'url'>> = {
  email: 'address',
  slack: 'channel',
  webhook: 'url',
};

const lineOf = (recipient: Recipient): string => recipient[MAIN[recipient.type] ?? 'url'] ?? '';

/** Those that are sent by `channel`, one a line. */
export const recipientLines = (recipients: readonly Recipient[], channel: string): string =>
  recipients
    .filter(({ type }) => type === channel)
    .map(lineOf)
    .join('\n');

/** One for each line. What else `before` says of a recipient, such as its headers, stays, and so do other channels'. */
export function recipientsOf(lines: string, channel: string, before: readonly Recipient[]): readonly Recipient[] {
  const named = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const known = new Map(before.filter(({ type }) => type === channel).map((one) => [lineOf(one), one]));
  return [
    ...named.map((line) => known.get(line) ?? { type: channel, [MAIN[channel] ?? 'url']: line }),
    ...before.filter(({ type }) => type !== channel),
  ];
}
