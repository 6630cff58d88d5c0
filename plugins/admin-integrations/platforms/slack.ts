/** Checks bot tokens of Slack with `auth.test`. */
import type { ChatPlatform } from '../chat-platform.ts';
import { platformApi, refusedToken, unreachable } from './platform-api.ts';

const LABEL = 'Slack';
/** What `auth.test` answers for tokens that will not work, however often they are tried. */
const REFUSED =
  /^(not_authed|invalid_auth|account_inactive|token_revoked|token_expired|no_permission|org_login_required|ekm_access_denied|not_allowed_token_type|access_denied|two_factor_setup_required)$/;

export function slackPlatform(apiUrl: string): ChatPlatform {
  const call = platformApi(LABEL, apiUrl);
  return {
    name: 'slack',
    label: LABEL,
    async verify({ botToken }, signal) {
      const headers = { authorization: `Bearer ${botToken}`, 'content-type': 'application/x-www-form-urlencoded' };
      const { status, body } = await call('auth.test', { method: 'POST', headers, body: '' }, signal);
      if (body.ok === true && typeof body.user === 'string') return body.user;
      if (REFUSED.test(String(body.error)) || status === 401 || status === 403) {
        throw refusedToken(LABEL, 'Copy the bot token (xoxb-…) from "OAuth & Permissions" of the Slack app.');
      }
      throw unreachable(LABEL, 'its answer is not that of its API');
    },
  };
}
