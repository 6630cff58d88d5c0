/** Lets in the employees whose badges are configured. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { authResolve, definePlugin, type Identity, Type } from 'atlas-query';
import { authLookup, present, refused, rejectedCredentials } from 'atlas-query/plugins/auth-kit';

const MODE = 'badge';
const digest = (text: string) => createHash('sha256').update(text).digest();

export const authBadge = definePlugin({
  name: 'auth-badge',
  version: '1.0.0',
  type: 'auth',
  description: 'Lets in the employees whose badges are configured.',
  options: Type.Object(
    {
      badges: Type.Array(
        Type.Object(
          {
            employee: Type.String({ minLength: 1, description: 'name of the employee, as the audit log shows it' }),
            secret: Type.String({ minLength: 16, description: 'what is sent as X-Badge' }),
            role: Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')]),
          },
          { additionalProperties: false },
        ),
        { minItems: 1 },
      ),
    },
    { additionalProperties: false },
  ),
  setup(ctx, { badges }) {
    const known = badges.map(({ employee, secret, role }) => ({
      hash: digest(secret),
      identity: {
        actor: { id: employee, label: employee, role, mode: MODE, claims: {} },
        orgId: null,
      } satisfies Identity,
    }));
    ctx.tap(authResolve, ({ headers }) => {
      const badge = headers['x-badge'];
      // Nothing that is ours: another plugin may know it.
      if (typeof badge !== 'string') return undefined;
      const hash = digest(badge);
      const found = known.filter((one) => timingSafeEqual(one.hash, hash))[0];
      if (found === undefined) throw rejectedCredentials('The badge is not valid.', 'Send your badge as X-Badge.');
      return found.identity;
    });
    // Who asked for an action is looked up again when it is performed.
    ctx.tapKey(authLookup, MODE, ({ actorId }) => {
      const found = known.find(({ identity }) => identity.actor.id === actorId);
      return found === undefined ? refused('This employee has no badge any more.') : present(found.identity);
    });
  },
});
