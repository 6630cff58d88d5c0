/** Answers the calls by which Slack, Discord and the Bot Framework of Microsoft Teams say whose token it is. */
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts';

export interface ChatPlatforms extends HttpReceiver {
  readonly slackApiUrl: string;
  readonly discordApiUrl: string;
  readonly teamsApiUrl: string;
  /** In place of every answer. */
  trouble: { readonly status: number; readonly body?: string } | undefined;
}

/** Names of bots by their tokens; the client secret of a Teams app may have any name. */
export async function startChatPlatforms(bots: Readonly<Record<string, string>>): Promise<ChatPlatforms> {
  const receiver = await startHttpReceiver(({ method, url, headers, body }, response) => {
    const answer = (status: number, fields: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields));
    };
    if (platforms.trouble !== undefined) {
      response.writeHead(platforms.trouble.status).end(platforms.trouble.body ?? '');
      return;
    }
    const [scheme, token = ''] = headers.authorization?.split(' ') ?? [];
    const bot = bots[token];
    const call = `${method} ${url}`;
    if (call === 'POST /api/auth.test') {
      if (scheme !== 'Bearer' || bot === undefined) return answer(200, { ok: false, error: 'invalid_auth' });
      return answer(200, { ok: true, user: bot, team: 'Acme', team_id: 'T1', user_id: 'U1', bot_id: 'B1' });
    }
    if (call === 'GET /discord/v10/users/@me') {
      if (scheme !== 'Bot' || bot === undefined) return answer(401, { message: '401: Unauthorized', code: 0 });
      return answer(200, { id: '80351110224678912', username: bot, bot: true });
    }
    if (call === 'POST /teams/botframework.com/oauth2/v2.0/token') {
      const form = new URLSearchParams(body);
      const isKnown = form.get('grant_type') === 'client_credentials' && bots[form.get('client_secret') ?? ''];
      if (!isKnown)
        return answer(401, { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid secret.' });
      return answer(200, { token_type: 'Bearer', expires_in: 3_599, access_token: 'a.b.c' });
    }
    answer(404, { message: 'Not found' });
  });
  const platforms: ChatPlatforms = Object.assign(receiver, {
    slackApiUrl: `${receiver.url}/api/`,
    discordApiUrl: `${receiver.url}/discord/v10`,
    teamsApiUrl: `${receiver.url}/teams/`,
    trouble: undefined,
  });
  return platforms;
}
