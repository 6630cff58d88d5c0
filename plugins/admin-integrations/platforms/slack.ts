/** Checks bot tokens of Slack with `auth.test`. */
import type { ChatPlatform } from '../chat-platform.ts';
import { isBotName, platformApi, refusedToken, unreachable } from './platform-api.ts';

const LABEL = 'Slack';
/** Answers of `auth.test` that say nothing about the token; the last one, that something else is at this address. */
const TROUBLE =
  /^(ratelimited|rate_limited|internal_error|fatal_error|service_unavailable|request_timeout|team_added_to_org|unknown_method)$/;

export function slackPlatform(apiUrl: string): ChatPlatform {
  const call = platformApi(LABEL, apiUrl);
  return {
    name: 'slack',
    label: LABEL,
    async verify({ botToken }, signal) {
      const headers = { authorization: `Bearer ${botToken}`, 'content-type': 'application/x-www-form-urlencoded' };
      const { status, body } = await call('auth.test', { method: 'POST', headers, body: '' }, signal);
      if (body.ok === true && isBotName(body.user)) return body.user;
      const isRefused = typeof body.error === 'string' && !TROUBLE.test(body.error);
      if (isRefused || status === 401 || status === 403) {
        throw refusedToken(LABEL, 'Copy the bot token (xoxb-…) from "OAuth & Permissions" of the Slack app.');
      }
      throw unreachable(LABEL, 'its answer is not that of its API');
    },
  };
}
