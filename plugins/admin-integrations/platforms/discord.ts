/** Checks bot tokens of Discord by asking for the bot's own user. */
import type { ChatPlatform } from '../chat-platform.ts';
import { isBotName, platformApi, refusedToken, unreachable } from './platform-api.ts';

const LABEL = 'Discord';

export function discordPlatform(apiUrl: string): ChatPlatform {
  const call = platformApi(LABEL, apiUrl);
  return {
    name: 'discord',
    label: LABEL,
    async verify({ botToken }, signal) {
      const { status, body } = await call('users/@me', { headers: { authorization: `Bot ${botToken}` } }, signal);
      if (status === 200 && isBotName(body.username)) return body.username;
      if (status === 401 || status === 403)
        throw refusedToken(LABEL, 'Copy the token from "Bot" of the Discord application.');
      throw unreachable(LABEL, 'its answer is not that of its API');
    },
  };
}
