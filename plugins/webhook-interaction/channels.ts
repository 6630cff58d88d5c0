/** Builds the channels from their options: checked, with the actor of their questions and the counters of their limits. */
import { type Actor, AtlasError } from '../../kernel/index.ts';
import type { RequestWindow, SharedLimits } from '../shared-limits/index.ts';
import type { ChannelOptions } from './options.ts';

export interface Channel {
  readonly options: ChannelOptions;
  readonly actor: Actor;
  readonly orgId: string | null;
  readonly requests: RequestWindow;
  /** Requests that wait for their answers. */
  running: number;
}

/** A header carries nothing else unchanged, and no spaces around it. */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Authentication mode of the channels' actors. */
export const MODE = 'webhook';

function refused(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'configuration_error', reason: 'E_WEBHOOK_CHANNEL', hint });
}

function check({ channelId, authType, secret, replayWindowSeconds }: ChannelOptions): void {
  if (authType !== 'api-key') return;
  if (!HEADER_TEXT.test(secret)) {
    throw refused(
      `The secret of the webhook channel "${channelId}" cannot be sent in a header.`,
      'Use printable ASCII characters without spaces at the ends.',
    );
  }
  if (replayWindowSeconds !== undefined) {
    throw refused(
      `The webhook channel "${channelId}" has a replay window, and its requests are not signed.`,
      'Set authType to "hmac", or leave replayWindowSeconds out.',
    );
  }
}

/** The channels by their ids. Throws `configuration_error` for one that cannot work, never with its secret. */
export function channelsOf(given: readonly ChannelOptions[], limits: SharedLimits): ReadonlyMap<string, Channel> {
  const channels = new Map<string, Channel>();
  for (const options of given) {
    const { channelId, runAs, requestsPerMinute: limit } = options;
    check(options);
    if (channels.has(channelId)) {
      throw refused(`Two webhook channels have the id "${channelId}".`, 'Give each its own channelId.');
    }
    channels.set(channelId, {
      options,
      actor: {
        id: `${MODE}:${channelId}`,
        label: `webhook ${channelId}`,
        role: runAs?.role ?? 'viewer',
        mode: MODE,
        claims: runAs?.claims ?? {},
      },
      orgId: runAs?.orgId ?? null,
      requests: limits.window(`webhook-interaction.${channelId}`, { limit, windowMs: 60_000, maxKeys: 1 }),
      running: 0,
    });
  }
  return channels;
}
