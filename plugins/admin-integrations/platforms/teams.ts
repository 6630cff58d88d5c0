/** Checks bots of Microsoft Teams: the client secret of the bot's app must give a token for the Bot Framework. */
import type { ChatPlatform } from '../chat-platform.ts';
import { platformApi, refusedToken, unreachable } from './platform-api.ts';

const LABEL = 'Microsoft Teams';
/** An app or tenant that there is not is 400. */
const REFUSED: readonly number[] = [400, 401, 403];
const SCOPE = 'https://api.botframework.com/.default';

export function teamsPlatform(apiUrl: string): ChatPlatform {
  const call = platformApi(LABEL, apiUrl);
  return {
    name: 'teams',
    label: LABEL,
    async verify({ botToken, applicationId }, signal) {
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: applicationId,
        client_secret: botToken,
        scope: SCOPE,
      });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const request = { method: 'POST', headers, body: form.toString() };
      const { status, body } = await call('botframework.com/oauth2/v2.0/token', request, signal);
      // The app has no other name here.
      if (status === 200 && typeof body.access_token === 'string') return applicationId;
      if (REFUSED.includes(status))
        throw refusedToken(LABEL, 'Give the id of the Azure app and, as the bot token, its client secret.');
      throw unreachable(LABEL, 'its answer is not that of its API');
    },
  };
}
