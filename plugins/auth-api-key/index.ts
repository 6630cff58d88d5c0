/** Authenticates machines by API key; a key brings its role. */
import { authResolve, definePlugin, type HealthItem, healthCheck } from '../../kernel/index.ts';
import { apiKey, authLookup, bearerToken, present, refused, rejectedCredentials } from '../auth-kit/index.ts';
import { httpSecurity } from '../http/index.ts';
import { ApiKeys } from './keys.ts';
import { API_KEY_MODE } from './mode.ts';
import { ApiKeyOptions } from './options.ts';

/** Shorter keys can be guessed. */
const SAFE_KEY_CHARACTERS = 16;
const HINT = 'Send the key you were given as Authorization: Bearer KEY, or as X-API-Key: KEY.';
const HEALTH: HealthItem = { component: 'auth', status: 'ok', details: { mode: 'api-key', enabled: true } };

export { API_KEY_MODE } from './mode.ts';

export const authApiKey = definePlugin({
  name: 'auth-api-key',
  version: '1.0.0',
  type: 'auth',
  description: 'Authenticates requests by one of the configured API keys.',
  options: ApiKeyOptions,
  setup(ctx, { keys }) {
    const known = new ApiKeys(keys);
    for (const [index, { name, key }] of keys.entries()) {
      if (key.length >= SAFE_KEY_CHARACTERS) continue;
      ctx.log.warn({ key: name ?? index + 1 }, `An API key has fewer than ${SAFE_KEY_CHARACTERS} characters.`);
    }
    // First of all: a key is recognised for certain, while to others it may look like a broken token of theirs.
    ctx.tap(
      authResolve,
      ({ headers }) => {
        const bearer = bearerToken(headers);
        const key = apiKey(headers);
        // A bearer token that is no key may be another plugin's.
        if (key === undefined) return bearer === undefined ? undefined : known.find(bearer);
        const identity = known.find(key);
        if (identity === undefined) throw rejectedCredentials('The API key is not valid.', HINT);
        if (bearer === undefined || known.find(bearer) === identity) return identity;
        throw rejectedCredentials('Authorization and X-API-Key say two different things.', 'Send one of them.');
      },
      { stage: 'pre' },
    );
    ctx.tapKey(authLookup, API_KEY_MODE.name, ({ actorId }) => {
      const identity = known.byId(actorId);
      return identity === undefined ? refused('The API key is not in use any more.') : present(identity);
    });
    ctx.tap(healthCheck, () => [HEALTH]);
    ctx.tap(httpSecurity, () => [
      { name: 'apiKey', scheme: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' } },
      { name: 'apiKeyAsToken', scheme: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
    ]);
  },
});
